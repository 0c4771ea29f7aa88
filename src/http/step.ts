import type Koa from 'koa'
import type { State } from './route.ts'

/** One step of the chain: one check, one file. */
export type Middleware = Koa.Middleware<State>
