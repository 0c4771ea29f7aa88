import type Koa from 'koa'
import type { z } from 'zod'
import type { Operation } from '../contract/operation.ts'
import type { Principal } from '../core/model.ts'
import type { Services } from './services.ts'
import type { FormBody } from './web/form-body.ts'
import type { Login } from './web/session.ts'

export interface State {
  requestId: string
  /** Set once a credential was accepted. */
  principal?: Principal
  /** Pattern of the route that took the request, for the log. */
  route?: string
  /** The path is a page's: its answers are for a person, the refusals too. */
  isPage?: boolean
  /** Pages only: who is logged in. */
  login?: Login
  /** Pages only: what was posted. */
  form?: FormBody
  /** Pages only: the token for the forms of this answer. */
  csrf?: string
}

export type Ctx = Koa.ParameterizedContext<State>

type Output<S> = S extends z.ZodType ? z.output<S> : undefined

/** What a handler gets: everything parsed, nothing left to check but what only the records know. */
export interface Call<Q = unknown, B = unknown> {
  ctx: Ctx
  services: Services
  /** Value of `{id}` in the path; empty where there is none. */
  id: string
  query: Q
  body: B
  /** Never null but on a route whose access is `public` or `optional`; `caller` throws there. */
  principal: Principal | null
  caller: Principal
  /** Aborts when the client has gone: what is only for it can end. */
  gone: AbortSignal
  /** Aborts then, and when the daemon stops: a long answer ends; a short one is finished. */
  ending: AbortSignal
}

/** One row of the table from which router, OpenAPI document and tests derive. */
export interface Route extends Operation {
  handle(call: Call): Promise<void>
  /** The body's schema where a configured limit is part of it. */
  bodyFor?: (services: Services) => z.ZodType
  /** So many from one address within so many seconds, for what leaves something behind without any credential. */
  mostFromAddress?: { requests: number; seconds: number }
}

/** Declares a row with its handler's input typed by its schemas. */
export function route<Q extends z.ZodType | undefined = undefined, B extends z.ZodType | undefined = undefined>(
  row: Omit<Route, 'handle' | 'query' | 'body'> & {
    query?: Q
    body?: B
    handle(call: Call<Output<Q>, Output<B>>): Promise<void>
  },
): Route {
  return row as unknown as Route
}
