import { expect } from 'vitest'
import { problem } from '../../src/contract/common.ts'
import { problemCodes, type Operation } from '../../src/contract/operation.ts'
import { operations } from './api-table.ts'
import { PROBLEMS } from '../../src/http/problems/problems.ts'
import { errorCode } from './codes.ts'

/** Codes that any path can answer, before a route is known. */
const ANYWHERE = new Set<string>([errorCode('not_found'), errorCode('method_not_allowed'), errorCode('host_not_allowed')])

/** Returns the row of the table for this request. */
export function routeOf(method: string, path: string): Operation | undefined {
  const pathname = path.split('?')[0] ?? ''
  return operations.find(
    (route) =>
      route.method === (method === 'HEAD' ? 'GET' : method) &&
      new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  )
}

/** Checks an answer against the table's promises for its endpoint. The HTTP tests check every answer with it. */
export function checkAnswer(method: string, path: string, answer: { status: number; headers: Headers; body: unknown }): void {
  expect(answer.headers.get('x-request-id'), 'X-Request-Id').toMatch(/^[\w.-]{8,128}$/)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'/)
  const route = routeOf(method, path)
  // A successful answer, and a problem that also has documents, have a schema in the table.
  const promised = route?.answers[answer.status]
  if (promised === undefined && answer.status >= 400) return checkProblem(route, answer)
  if (method === 'HEAD' || method === 'OPTIONS') return
  expect(promised, `${method} ${route?.path} answers ${answer.status}, which is not in its table`).toBeDefined()
  if (promised?.schema === undefined || promised.type !== undefined) return
  // Parsing drops unknown fields, so this also finds fields that the schema lacks.
  expect(promised.schema.parse(answer.body), `${method} ${path} and its schema`).toEqual(answer.body)
}

function checkProblem(route: Operation | undefined, answer: { status: number; headers: Headers; body: unknown }): void {
  // HEAD has no body.
  if (answer.body === '') return
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  const parsed = problem.parse(answer.body)
  expect(parsed.status).toBe(answer.status)
  expect(parsed.request_id).toBe(answer.headers.get('x-request-id'))
  expect(Object.keys(PROBLEMS)).toContain(parsed.code)
  if (route !== undefined && !ANYWHERE.has(parsed.code))
    expect(problemCodes(route), `codes of ${route.operationId}`).toContain(parsed.code)
  if (answer.status === 401 || parsed.code === errorCode('insufficient_scope'))
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /)
  if (answer.status === 429 || answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
}
