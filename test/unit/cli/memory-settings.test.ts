import { expect, test } from 'vitest'
import { memorySettings } from '../../../src/cli/memory-settings.ts'

const BOTH = { flags: [expect.stringMatching(/^--max-semi-space-size=\d+$/)], env: { MALLOC_ARENA_MAX: expect.any(String) } }

test('a daemon without settings of its operator gets all settings', () => {
  expect(memorySettings({ execArgv: ['--no-warnings'], env: { NODE_OPTIONS: '--enable-source-maps' } })).toEqual(BOTH)
})

test.each([
  { execArgv: ['--max-semi-space-size=16'], env: {} },
  { execArgv: ['--max-semi-space-size', '16'], env: {} },
  { execArgv: [], env: { NODE_OPTIONS: '--max_semi_space_size=16' } },
])("the operator's flag stays: %j", (started) => {
  expect(memorySettings(started)).toEqual({ ...BOTH, flags: [] })
})

test("the operator's MALLOC_ARENA_MAX stays", () => {
  expect(memorySettings({ execArgv: [], env: { MALLOC_ARENA_MAX: '8' } })).toEqual({ ...BOTH, env: {} })
})

test('a daemon that has the settings does not start again', () => {
  const { flags, env } = memorySettings({ execArgv: [], env: {} })!
  expect(memorySettings({ execArgv: flags, env })).toBeNull()
})
