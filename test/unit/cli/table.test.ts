import { describe, expect, test } from 'vitest'
import { printed } from '../../../src/cli/view/safe.ts'
import { styles } from '../../../src/cli/view/style.ts'
import { formatTable } from '../../../src/cli/view/table.ts'
import { textWidth } from '../../../src/cli/view/width.ts'

const ID = 'xyz_' + 'a'.repeat(26)
const AT = '2026-11-23T12:00:00.000Z'
const MAIL = 'a.person.with.a.long.name@subsidiary.example.org'
const TABLES: [string, string[], string[]][] = [
  [
    'projects',
    ['ID', 'NAME', 'DOCUMENTS', 'PENDING', 'FAILED', 'SIZE', 'ROLE'],
    [ID, 'contracts of the north', '12,000', '0', '0', '1.2 GB', 'manager'],
  ],
  [
    'keys',
    ['ID', 'NAME', 'KEY', 'SCOPES', 'PROJECTS', 'LAST USED', 'EXPIRES'],
    [ID, 'laptop', '…abcd', 'read:documents,write:documents', 'all', AT, AT],
  ],
  [
    'users',
    ['ID', 'EMAIL', 'NAME', 'ROLE', 'STATUS', 'PROJECTS', 'CREATED', 'LAST LOGIN'],
    [ID, MAIL, 'A Person', 'user', 'active', '3', AT, AT],
  ],
  [
    'audit',
    ['TIME', 'ACTION', 'ACTOR', 'PROJECT', 'SUBJECT', 'ADDRESS', 'CREDENTIAL', 'DETAILS'],
    [
      '2026-11-23 12:00:00',
      'document.delete',
      MAIL,
      'contracts',
      'lease of the house.pdf',
      '127.0.0.1',
      'laptop',
      'name=x'.repeat(99),
    ],
  ],
  ['upload', ['ID', 'OUTCOME', 'STATUS', 'PATH'], [ID, 'unchanged', 'processing', 'contracts/2024/signed/lease.pdf']],
]

function tableOf(header: string[], row: string[], width: number, terminal = true): string[] {
  return printed(formatTable(header, [row], { terminal, width, style: styles(false) }))
    .trimEnd()
    .split('\n')
}

describe.each(TABLES)('the table of %s', (_name, header, row) => {
  test.each([50, 80, 200])('fits a terminal of %i columns, with whole headings and IDs', (width) => {
    const lines = tableOf(header, row, width)
    expect(lines.filter((line) => textWidth(line) > width)).toEqual([])
    const headings = lines[0]!.split(/ {2,}/)
    expect(headings.length).toBeGreaterThan(1)
    expect(headings.filter((heading) => !header.includes(heading))).toEqual([])
    if (headings.includes('ID')) expect(lines[1]).toContain(ID.slice(-6))
  })

  test('is not cut on a pipe', () => {
    expect(tableOf(header, row, 50, false)).toEqual([row.join('\t')])
  })
})

test('a narrow terminal does without the least important columns first', () => {
  const [, header, row] = TABLES[0]!
  expect(tableOf(header, row, 80)[0]).toMatch(/^ID +NAME +.*ROLE$/)
  expect(tableOf(header, row, 50)[0]).toMatch(/^ID +NAME +DOCUMENTS +SIZE +ROLE$/)
  expect(tableOf(header, row, 40)[0]).toMatch(/^ID +NAME +DOCUMENTS +ROLE$/)
})
