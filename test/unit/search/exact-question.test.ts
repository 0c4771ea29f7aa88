import { expect, test } from 'vitest'
import { exactQuestion } from '../../../src/search/question.ts'

test.each(['4711-B', '10.1016/j.cell.2018', '1,577', '2018', 'ISO27001', '(AB-1234).'])('%s is an identifier', (query) => {
  expect(exactQuestion(query)).toMatchObject({ identifier: expect.any(Array), hasOnlyIdentifiers: true })
})

test.each(['refunds', 'sales 2018', 'sick leave', '契約2018年', '4711 B', `${'9'.repeat(101)}`])(
  '%s is not one identifier',
  (query) => {
    expect(exactQuestion(query).identifier).toBeNull()
  },
)

test.each([
  ['maxTokens 4711-B', true],
  ['snake_case', true],
  ['maxTokens limit', false],
  ['ANNUAL REPORT', false],
  ['sales 2018', false],
  ['', false],
])('whether %j has only identifiers: %s', (query, expected) => {
  expect(exactQuestion(query).hasOnlyIdentifiers).toBe(expected)
})
