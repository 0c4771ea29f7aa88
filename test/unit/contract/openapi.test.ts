import { expect, test } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from '../../../src/contract/openapi.ts'
import { problemCodes, type Operation } from '../../../src/contract/operation.ts'
import { errorCode } from '../../support/codes.ts'

const problems = {
  host_not_allowed: { status: 403, means: 'The host is unknown.' },
  invalid_request: { status: 400, means: 'The request is invalid.' },
  thing_exists: { status: 409, means: 'There is such a thing.' },
}
const thing = z.object({ name: z.string() }).meta({ id: 'Thing' })
const operation: Operation = {
  operationId: 'renameThing',
  method: 'PATCH',
  path: '/things/{id}',
  tag: 'Things',
  summary: 'Rename a thing',
  access: 'write:documents',
  role: 'owner',
  query: z.strictObject({ dry_run: z.enum(['true', 'false']).optional().meta({ description: 'Changes nothing' }) }),
  body: z.strictObject({ name: z.string() }),
  headers: { 'If-Match': { description: 'The version to rename', example: '"1"' } },
  answers: { 200: { description: 'The thing', schema: thing, headers: { ETag: 'The new version' } } },
  problems: ['thing_exists'],
}
const describe = (change: Partial<Operation> = {}) =>
  openApiDocument({ version: '1', baseUrl: 'http://docs.example', operations: [{ ...operation, ...change }], problems })
const described = (change: Partial<Operation> = {}) => describe(change).paths['/things/{id}']!['patch'] as Record<string, unknown>

test('an operation has the parameters of its path, its query and its headers', () => {
  expect(described()['parameters']).toMatchObject([
    { in: 'path', name: 'id', required: true },
    { in: 'query', name: 'dry_run', description: 'Changes nothing' },
    { in: 'header', name: 'If-Match', description: 'The version to rename', example: '"1"' },
  ])
})

test('a body is required unless the operation says that it is optional', () => {
  expect(described()['requestBody']).toMatchObject({ required: true })
  expect(described({ bodyOptional: true })['requestBody']).toMatchObject({ required: false })
})

test('a schema with an ID is a component', () => {
  expect(describe().components.schemas['Thing']).toMatchObject({ properties: { name: { type: 'string' } } })
  expect(JSON.stringify(described()['responses'])).toContain('"$ref":"#/components/schemas/Thing"')
})

test('errors are grouped by status, and an answer of the operation replaces the errors with its status', () => {
  const descriptionOf409 = (change?: Partial<Operation>) =>
    (described(change)['responses'] as Record<string, { description: string }>)['409']!.description
  expect(descriptionOf409()).toBe('`thing_exists`: There is such a thing.')
  expect(descriptionOf409({ answers: { ...operation.answers, 409: { description: 'Taken' } } })).toBe('Taken')
})

test('public operations need no credential, optional ones accept one', () => {
  expect(described({ access: 'public' })['security']).toEqual([])
  expect(described({ access: 'optional' })['security']).toEqual([{}, { bearer: [] }, { oauth2: [] }])
  expect(described()['security']).toEqual([{ bearer: ['write:documents'] }, { oauth2: ['write:documents'] }])
})

test('each kind of operation has its error codes', () => {
  expect(problemCodes(operation)).toEqual(
    expect.arrayContaining([
      'thing_exists',
      errorCode('insufficient_scope'),
      errorCode('owner_only'),
      errorCode('invalid_json'),
      errorCode('disk_full'),
      errorCode('rate_limited'),
    ]),
  )
  expect(problemCodes({ ...operation, access: 'public' })).not.toContain(errorCode('unauthorized'))
  expect(problemCodes({ ...operation, errors: 'oauth' })).toEqual(['thing_exists', errorCode('host_not_allowed')])
})
