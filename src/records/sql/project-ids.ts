import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { ProjectIds } from '../projects.ts'
import { textRows } from './per-dialect.ts'

/** A set of projects is used in many queries while no member changes. */
const jsonOf = new WeakMap<ProjectIds, string>()

/** Returns the ids as the rows of a table with the column `value`. They are one parameter, because a user may see thousands of projects. */
export function idRows(projects: ProjectIds): RawBuilder<{ value: string }> {
  let json = jsonOf.get(projects)
  if (json === undefined) jsonOf.set(projects, (json = JSON.stringify([...projects])))
  return textRows(json)
}

/** For a `where`: the column names one of the projects. */
export function isOneOf(column: string, projects: ProjectIds): RawBuilder<boolean> {
  const [only] = projects
  if (projects.size === 1) return sql<boolean>`${sql.ref(column)} = ${only}`
  return sql<boolean>`${sql.ref(column)} in (select value from ${idRows(projects)} as ids)`
}
