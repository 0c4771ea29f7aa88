import type { z } from 'zod'
import type { KeyScope } from '../core/model.ts'

/** The description of an endpoint. http/routing/route.ts adds the handler. */
export interface Operation {
  operationId: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As in OpenAPI, such as `/api/v1/projects/{id}`. */
  path: string
  tag: string
  summary: string
  description?: string
  /** A scope; `any` credential; `optional`: a credential adds to the answer; `public`: a credential changes nothing. */
  access: KeyScope | 'any' | 'optional' | 'public'
  /** Allows only the owner of the instance. Scopes apply as well. */
  role?: 'owner'
  /** Describes `{id}` in the path. */
  idDescription?: string
  /** Describes the other parameters of the path by their names. */
  pathDescriptions?: Readonly<Record<string, string>>
  query?: z.ZodObject
  /** Describes query parameters that the handler parses itself, when the body is in `content`. */
  documentedQuery?: z.ZodObject
  /** A JSON body. */
  body?: z.ZodType
  /** True if no body means the same as `{}`. */
  bodyOptional?: boolean
  /** A body that is not JSON, as an OpenAPI content object. The handler reads it. */
  content?: Record<string, { schema: object }>
  headers?: Record<string, { description: string; example?: string }>
  answers: Record<number, Answer>
  /** `oauth`: errors have the format of RFC 6749 and are listed in `answers`. */
  errors?: 'oauth'
  /** The endpoint's own error codes. `problemCodes` adds the codes that all endpoints of its kind share. */
  problems?: readonly string[]
}

export interface Answer {
  description: string
  /** JSON unless `type` says otherwise. */
  schema?: z.ZodType
  type?: string
  headers?: Record<string, string>
}

/** Returns every error code that an endpoint can answer with: its own codes and the codes that every endpoint of its kind shares. */
export function problemCodes(operation: Operation): string[] {
  const codes = new Set(operation.problems)
  codes.add('host_not_allowed')
  if (operation.errors === 'oauth') return [...codes]
  // A project can be given by a name that several projects have, and changes need a role in it.
  if (codes.has('project_not_found')) codes.add('ambiguous_name')
  const isInProject = codes.has('project_not_found') || codes.has('document_not_found')
  if (isInProject && operation.access === 'write:documents') codes.add('insufficient_role')
  // Every endpoint refuses unknown parameters.
  codes.add('invalid_request')
  if (operation.access !== 'public') codes.add('invalid_token').add('rate_limited').add('unavailable')
  if (operation.access !== 'public' && operation.access !== 'optional') codes.add('unauthorized')
  if (operation.access.includes(':')) codes.add('insufficient_scope')
  if (operation.role !== undefined) codes.add('owner_only').add('limited_to_projects')
  if (operation.body !== undefined) codes.add('invalid_json').add('unsupported_media_type').add('body_too_large')
  if (operation.method !== 'GET') codes.add('disk_full')
  codes.add('internal_error')
  return [...codes]
}
