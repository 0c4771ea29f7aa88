import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Writes the address of each module that is loaded. */
const HOOK = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({ load: (url, context, next) => (writeSync(1, url + '\\n'), next(url, context)) })
`)}`
const dist = (path: string) => new URL(`../../../dist/${path}`, import.meta.url).href

test('a start loads Arrow once, and no tables of encodings', async () => {
  const modules = ['@lancedb/lancedb', dist('index/passages/encode.js'), dist('parse/sniff/sniff.js')]
  const script = modules.map((module) => `await import(${JSON.stringify(module)})`).join('\n')
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', HOOK, '--input-type=module', '-e', script])
  const loaded = stdout.split('\n')
  expect(loaded.filter((url) => /apache-arrow\/schema\.m?js$/.test(url))).toHaveLength(1)
  expect(loaded.filter((url) => url.includes('/jschardet/'))).toEqual([])
})
