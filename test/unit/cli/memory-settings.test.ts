import { expect, test } from 'vitest'
import { memorySettings } from '../../../src/cli/memory-settings.ts'

const SEMI_SPACE = expect.stringMatching(/^--max-semi-space-size=\d+$/)
const GROWTH = expect.stringMatching(/^--heap-growing-percent=\d+$/)
const ENV = { MALLOC_ARENA_MAX: expect.any(String) }
const NODE = { execArgv: [], env: {}, nodeVersion: '24.15.0' }

test('a daemon without settings of its operator gets all settings', () => {
  const started = { ...NODE, execArgv: ['--no-warnings'], env: { NODE_OPTIONS: '--enable-source-maps' } }
  expect(memorySettings(started)).toEqual({ flags: [SEMI_SPACE, GROWTH], env: ENV })
})

test.each([
  { execArgv: ['--max-semi-space-size=16'] },
  { execArgv: ['--max-semi-space-size', '16'] },
  { env: { NODE_OPTIONS: '--max_semi_space_size=16' } },
])("the operator's flag stays: %j", (started) => {
  expect(memorySettings({ ...NODE, ...started })).toEqual({ flags: [GROWTH], env: ENV })
})

test("the operator's MALLOC_ARENA_MAX stays", () => {
  expect(memorySettings({ ...NODE, env: { MALLOC_ARENA_MAX: '8' } })).toEqual({ flags: [SEMI_SPACE, GROWTH], env: {} })
})

test('a version of Node that may not know a flag starts without it', () => {
  expect(memorySettings({ ...NODE, nodeVersion: '26.0.0' })).toEqual({ flags: [SEMI_SPACE], env: ENV })
})

test('a daemon that already has the settings does not start Node again', () => {
  const { flags, env } = memorySettings(NODE)!
  expect(memorySettings({ ...NODE, execArgv: flags, env })).toBeNull()
})
