import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../../src/config/config.ts'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'

const rowsOf = async (text: string, name = 'a.csv') => {
  const [page] = (await parseBytes(text, name)).pages
  return page!.blocks.map(({ row, header }, i) => `${row}${header ? '*' : ''} ${blocksOf(page)[i]![1]}`)
}

test('finds the delimiter, also where another one is more frequent in the fields', async () => {
  expect(await rowsOf('a;b\n1,5;2,5\n"x;y";3,5\n')).toEqual(['1* a | b', '2 1,5 | 2,5', '3 x;y | 3,5'])
  expect(await rowsOf('a\tb\nx, y\tz\n', 'a.tsv')).toEqual(['1* a | b', '2 x, y | z'])
  expect(await rowsOf('sep=|\na|b\n1|2\n')).toEqual(['1* a | b', '2 1 | 2'])
  expect(await rowsOf('name\nAnn\n')).toEqual(['1 name', '2 Ann'])
})

test('counts empty rows, and keeps the columns of rows that are too long or too short', async () => {
  expect(await rowsOf('a,b,c\n\n,,3\n1\n1,2,3,4\n')).toEqual(['1* a | b | c', '3  |  | 3', '4 1', '5 1 | 2 | 3 | 4'])
})

test('reads a file with a stray quote as it is', async () => {
  expect(await rowsOf('size,n\n3.5" disk,1\n"5.25 disk,2\n')).toEqual(['1* size | n', '2 3.5" disk | 1', '3 "5.25 disk | 2'])
})

test('the first row of numbers is no header, but years are', async () => {
  expect(await rowsOf('1,2\n3,4\n')).toEqual(['1 1 | 2', '2 3 | 4'])
  expect(await rowsOf('town,2025,2026\nKiel,3,4\n')).toEqual(['1* town | 2025 | 2026', '2 Kiel | 3 | 4'])
})

test('reads the beginning of a file with too many cells, and names the row where it stops', async () => {
  const { warnings, pages } = await parseBytes(`id,name\n${'1,a\n'.repeat(260_000)}`, 'a.csv')
  expect(pages[0]!.blocks.at(-1)).toMatchObject({ row: 200_000 })
  expect(pages[0]!.text.split('\n')).toHaveLength(250_000)
  expect(warnings).toMatchObject([
    { code: 'cells_skipped', message: expect.stringContaining('more than 500,000 cells, the limit. Rows from row 250001 on') },
  ])
})

test.each([
  ['in a line', 'id,name\n' + '1,Harbour office of Kiel\n'.repeat(2000)],
  ['in a quoted field', `id,name\n1,"${'Kiel\n'.repeat(2000)}"\n`],
])('cuts a file with too much text %s, and says where', async (_, text) => {
  const { warnings, pages } = await parseBytes(text, 'a.csv', { limits: { ...DEFAULT_LIMITS, textBytes: 5_000 } })
  const rows = pages[0]!.text.split('\n')
  expect(rows[0]).toBe('id | name')
  expect(warnings).toMatchObject([
    {
      code: 'cells_skipped',
      message: expect.stringContaining(`more than 0.005 MB of text, the limit. Rows from row ${rows.length + 1} on`),
    },
  ])
})

test('the warning about a text file without text does not mention pictures', async () => {
  const { warnings } = await parseBytes(',,\n,,\n', 'a.csv')
  expect(warnings).toMatchObject([{ code: 'no_text', message: expect.not.stringMatching(/picture|OCR/) }])
})
