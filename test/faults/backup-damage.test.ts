import { cpSync, existsSync, globSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/exit.ts'
import { type Damage, DAMAGES } from '../support/damage-files.ts'
import { runCli } from '../support/daemon.ts'
import { runCommand } from '../support/cli.ts'
import { type Instance, newInstance } from '../support/instance.ts'
import { rareWord, textWith } from '../support/words.ts'

/** A folder with a backup that has every kind of file. Each test damages a copy. */
let instance: Instance
let intact: string

beforeAll(async () => {
  instance = await newInstance()
  const running = await instance.start()
  writeFileSync(join(instance.dataDir, 'config.json'), JSON.stringify({ trash_days: 7 }), { mode: 0o600 })
  await running.upload([{ name: 'one.txt', content: textWith(rareWord()) }], { wait: true })
  const hook = { url: 'https://hooks.example/docsearch' }
  expect((await running.call('POST', '/api/v1/projects/default/webhooks', hook)).status).toBe(201)
  intact = join(instance.home, 'intact')
  const made = await runCli(['backup', intact, '--with-vectors'], running.daemon.env)
  expect(made.code, made.stderr).toBe(0)
})
afterAll(() => instance?.remove())

const KINDS = [
  'snapshots/*/docsearch.db',
  'snapshots/*/config.json',
  'snapshots/*/webhook.key',
  'snapshots/*/vectors.arrow',
  'snapshots/*/manifest.json',
  'manifest.json',
  'blobs/*/*',
]

describe.each(KINDS)('%s', (pattern) => {
  test.each(Object.keys(DAMAGES) as Damage[])('%s is found and named, and restore refuses it', async (damage) => {
    const damaged = join(instance.home, 'damaged')
    const restored = join(instance.home, 'restored')
    cpSync(intact, damaged, { recursive: true })
    try {
      const file = globSync(join(damaged, pattern))[0]!
      DAMAGES[damage](file)
      const verified = await runCommand(['backup', 'verify', damaged], { env: instance.env })
      expect([EXIT.partial, EXIT.instance], verified.stderr).toContain(verified.code)
      const name = basename(file)
      const named = name === 'manifest.json' ? 'manifest' : name
      expect(verified.stdout + verified.stderr).toContain(named)
      const outcome = await runCommand(['restore', damaged, '--data', restored], { env: instance.env })
      expect([EXIT.partial, EXIT.instance], outcome.stderr).toContain(outcome.code)
      expect(existsSync(restored)).toBe(false)
    } finally {
      rmSync(damaged, { recursive: true })
      rmSync(restored, { recursive: true, force: true })
    }
  })
})
