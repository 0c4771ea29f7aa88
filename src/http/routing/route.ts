import type { z } from 'zod'
import type { Operation } from '../../contract/operation.ts'
import type { Principal } from '../../core/model.ts'
import type { Actor } from '../../services/access.ts'
import type { Ctx } from './context.ts'

type Output<S> = S extends z.ZodType ? z.output<S> : undefined

/** What a handler gets: everything is parsed and checked, except what only a service can know. */
export interface Call<Q = unknown, B = unknown> {
  ctx: Ctx
  /** The value of `{id}` in the path; empty when the path has none. */
  id: string
  /** The values of all parameters of the path by their names. */
  params: Readonly<Record<string, string>>
  query: Q
  body: B
  /** The accepted credential. Null only when the route's access is `public` or `optional`. */
  principal: Principal | null
  /** On whose behalf the request is made. Throws when there is no credential. */
  actor: Actor
  /** Aborts when the client has gone or has its answer, or when its credential ends. Stop work that is only for the client. */
  gone: AbortSignal
  /** Aborts then, and also when the daemon stops: long answers end, short ones are completed. */
  ending: AbortSignal
}

/**
 * How a request counts towards the rate limits:
 * - `limited`: for its credential and the user. Without a credential, for its address.
 * - `streaming`: like `limited`, but the request may stay open for long, such as an upload, a download or an event stream.
 * - `anonymous`: not at all. The request needs no credential and costs less than 1 ms of processor time.
 */
export type Cost = 'limited' | 'streaming' | 'anonymous'

/** One row of the table from which the router, the OpenAPI document and the tests derive. */
export interface Route extends Operation {
  handle(call: Call): Promise<void>
  /** Default: `limited`. */
  cost?: Cost
  /** The path of a protected resource with metadata of its own (RFC 9728), to which a refused credential leads. */
  resource?: string
  /** Limits the requests from one address within a time, for a public endpoint that leaves rows in the database. */
  addressLimit?: { requests: number; seconds: number }
}

type RowWithoutInput = Omit<Route, 'handle' | 'query' | 'body'>

/** The input of a row. Its schemas type what its handler gets. */
interface RowInput<Q extends z.ZodType | undefined, B extends z.ZodType | undefined> {
  query?: Q
  body?: B
  handle(call: Call<Output<Q>, Output<B>>): Promise<void>
}

/** Declares a row. */
export function route<Q extends z.ZodType | undefined = undefined, B extends z.ZodType | undefined = undefined>(
  row: RowWithoutInput & RowInput<Q, B>,
): Route {
  return row as unknown as Route
}

/** Returns a function that declares the rows of a group. Each row has the shared properties, unless it sets them itself. */
export function routesWith<S extends Partial<RowWithoutInput>>(shared: S) {
  return <Q extends z.ZodType | undefined = undefined, B extends z.ZodType | undefined = undefined>(
    row: Omit<RowWithoutInput, keyof S> & Partial<RowWithoutInput> & RowInput<Q, B>,
  ): Route => ({ ...shared, ...row }) as unknown as Route
}

/** Answers 201 with the address of what was made. */
export function answerCreated(ctx: Ctx, location: string, body: object): void {
  ctx.status = 201
  ctx.set('Location', location)
  ctx.body = body
}
