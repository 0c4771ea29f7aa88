import { expect, test } from 'vitest'
import { foldMessage } from '../../../src/cli/view/fold.ts'

const ADDRESS = 'https://docs.example.org/a/long/path'

test.each([
  ['a message that fits', 40, 'a message that fits'],
  ['breaks at spaces only', 12, 'breaks at\nspaces only'],
  [`see ${ADDRESS} now`, 12, `see\n${ADDRESS}\nnow`],
  ['two\n  indented lines here', 16, 'two\n  indented lines\nhere'],
  ['', 12, ''],
])('%j in %i columns', (message, width, folded) => {
  expect(foldMessage(message, width)).toBe(folded)
})
