import { createQueryId, createRawBuilder, PostgresQueryCompiler, sql } from 'kysely'
import type { Expression, RawBuilder, RawNode } from 'kysely'

// Queries are written once. Parts that differ between SQLite and PostgreSQL are in this file, or in a `perDialect` next to the query with the reason.

interface NodeOfTwo extends RawNode {
  readonly postgres?: RawNode
}

/** Returns a part of a query that differs between the databases. The compiler of the database chooses. */
export function perDialect<T>({ sqlite, postgres }: { sqlite: RawBuilder<T>; postgres: RawBuilder<T> }): RawBuilder<T> {
  const rawNode: NodeOfTwo = { ...sqlite.toOperationNode(), postgres: postgres.toOperationNode() }
  return createRawBuilder<T>({ queryId: createQueryId(), rawNode })
}

/** Chooses PostgreSQL's parts of a query. Kysely's compiler for SQLite knows only SQLite's. */
export class TwoDialectsCompiler extends PostgresQueryCompiler {
  protected override visitRaw(node: NodeOfTwo): void {
    super.visitRaw(node.postgres ?? node)
  }
}

/** Returns the texts of a JSON list as the rows of a table with the column `value`. Give the table an alias. */
export function textRows(json: string): RawBuilder<{ value: string }> {
  return perDialect({
    sqlite: sql<{ value: string }>`json_each(${json})`,
    postgres: sql<{ value: string }>`json_array_elements_text(${json}::json)`,
  })
}

/** Like `textRows`, for a list of integers. */
export function numberRows(json: string): RawBuilder<{ value: number }> {
  return perDialect({
    sqlite: sql<{ value: number }>`json_each(${json})`,
    postgres: sql<{ value: number }>`(select value::integer as value from json_array_elements_text(${json}::json))`,
  })
}

/** Joins the next table after those before it: SQLite reads the tables of a `cross join` in this order. PostgreSQL decides itself. */
export const joinNext = perDialect({ sqlite: sql`cross join`, postgres: sql`join` })

/** For a `where`: the column has the value, which may be null. SQLite and PostgreSQL have no common operator that uses an index. */
export function equals(column: string, value: string | null): RawBuilder<boolean> {
  return value === null ? sql<boolean>`${sql.ref(column)} is null` : sql<boolean>`${sql.ref(column)} = ${value}`
}

/** Returns the id of the next row: the time in milliseconds since 1970, but greater than all ids in the table, and at least `floor`. */
export function nextId(table: 'events' | 'audit_events', now: number, floor: RawBuilder<number> = sql`0`): RawBuilder<number> {
  const next = sql`(select coalesce(max(id), 0) + 1 from ${sql.table(table)}), ${now}, ${floor}`
  return perDialect({ sqlite: sql<number>`max(${next})`, postgres: sql<number>`greatest(${next})` })
}

export function endsWith(column: string, suffix: string): RawBuilder<boolean> {
  return perDialect({
    sqlite: sql<boolean>`substr(${sql.ref(column)}, ${-suffix.length}) = ${suffix}`,
    postgres: sql<boolean>`right(${sql.ref(column)}, ${suffix.length}) = ${suffix}`,
  })
}

/** Returns the position of a text within another one, or 0. */
export function positionOf(part: string, text: Expression<unknown>): RawBuilder<number> {
  return perDialect({
    sqlite: sql<number>`instr(${text}, ${sql.lit(part)})`,
    postgres: sql<number>`strpos(${text}, ${sql.lit(part)})`,
  })
}

/** For a `where`: the text of the column contains `part`. */
export function containsText(column: string, part: string): RawBuilder<boolean> {
  return perDialect({
    sqlite: sql<boolean>`instr(${sql.ref(column)}, ${part}) > 0`,
    postgres: sql<boolean>`strpos(${sql.ref(column)}, ${part}) > 0`,
  })
}

/** Joins the values of a column over the rows of a group. Null if there are no rows. */
export function joinTexts(column: string, separator: string): RawBuilder<string | null> {
  return perDialect({
    sqlite: sql<string | null>`group_concat(${sql.ref(column)}, ${sql.lit(separator)})`,
    postgres: sql<string | null>`string_agg(${sql.ref(column)}::text, ${sql.lit(separator)})`,
  })
}
