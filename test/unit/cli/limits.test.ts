import { expect, test } from 'vitest'
import { usageFields } from '../../../src/cli/view/limits.ts'

const usage = { documents: 1_200, bytes: 1_234_567_890, passages: 30_000 }
const quota = { documents: null, bytes: 5_000_000_000, passages: 100_000 }

test('the usage and quotas of a user are readable on a terminal and exact on a pipe', () => {
  expect(usageFields({ terminal: true }, { usage, quota })).toEqual([
    ['documents', '1,200'],
    ['bytes', '1.2 GB of 5.0 GB'],
    ['passages', '30,000 of 100,000'],
  ])
  expect(usageFields({ terminal: false }, { usage, quota })).toEqual([
    ['documents', '1200'],
    ['bytes', '1234567890 of 5000000000'],
    ['passages', '30000 of 100000'],
  ])
})

test('the usage is missing for an instance that does not send it', () => {
  expect(usageFields({ terminal: true }, {})).toEqual([])
})
