/** True if `startTestApp` and `startRealDaemon` open instances on a PostgreSQL database and an object store (`npm run test:shared`). */
export function areOnServers(): boolean {
  return process.env['DOCSEARCH_TEST_SHARED'] !== undefined
}

/** The same, for test files. They need it while they load, for example to skip tests. */
export const isOnServers = areOnServers()
