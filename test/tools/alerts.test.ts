import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/sources.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ALERTS = join(root, 'deploy/prometheus/docsearch-alerts.yml')
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test.skipIf(!hasPromtool)('promtool accepts the alerts', () => {
  const { status, stderr } = spawnSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})

test.skipIf(!hasPromtool)('each alert fires for its fault, and none for an instance that works', async () => {
  const tests = join(await tempFolder(), 'tests.yml')
  writeFileSync(tests, readFileSync(join(root, 'test/fixtures/alerts.test.yml'), 'utf8').replace('RULES', ALERTS))
  const { status, stdout } = spawnSync('promtool', ['test', 'rules', tests], { encoding: 'utf8' })
  expect(stdout).toContain('SUCCESS')
  expect(status).toBe(0)
})
