import type { PostgresClient, PostgresServer } from '../../src/records/sql/postgres/server.ts'

type Answer = ReturnType<PostgresClient['query']>

/** Returns a server whose statements `around` runs, so that it can do something before or after each. */
export function wrapStatements(server: PostgresServer, around: (statement: string, run: () => Answer) => Answer): PostgresServer {
  return {
    ...server,
    async connect(options) {
      const client = await server.connect(options)
      return { ...client, query: (statement, parameters) => around(statement, () => client.query(statement, parameters)) }
    },
  }
}
