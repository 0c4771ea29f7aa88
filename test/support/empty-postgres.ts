import type { PostgresServer } from '../../src/records/sql/postgres/server.ts'

/** Deletes all rows except those that the migrations made. Creating the tables again, or `truncate`, would take longer. */
const EMPTY = `do $$
  declare name text;
  begin
    -- Without triggers and foreign keys.
    set local session_replication_role = replica;
    for name in select tablename from pg_tables where schemaname = 'public'
      and tablename not in ('kysely_migration', 'kysely_migration_lock', 'settings', 'changes', 'workers', 'leases')
    loop
      execute format('delete from %I', name);
    end loop;
    delete from settings where settings.name not in ('event_id_key', 'audit_id_key');
    update changes set version = version + 1;
  end
$$`

export async function run(server: PostgresServer, statement: string): Promise<void> {
  const client = await server.connect()
  try {
    await client.query(statement, [])
  } finally {
    client.release(false)
  }
}

export const emptyTables = (server: PostgresServer) => run(server, EMPTY)
