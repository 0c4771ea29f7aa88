import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { root } from '../support/sources.ts'

// The build makes dist/ before the tests. scripts/check-package.mjs uses the export from the packed package, with its types.
test('the export docsearch/client loads no package and no file outside its own folders', () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    const { Docsearch, RequestError } = await import('docsearch/client')
    const docsearch = new Docsearch({ url: 'http://127.0.0.1:9' })
    console.log(JSON.stringify({ loaded, names: [typeof Docsearch, typeof RequestError], url: docsearch.url }))`
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: root, encoding: 'utf8' })
  const { loaded, ...rest } = JSON.parse(printed) as { loaded: string[]; names: string[]; url: string }
  expect(rest).toEqual({ names: ['function', 'function'], url: 'http://127.0.0.1:9' })
  const outside = loaded.filter((url) => !url.startsWith('node:') && !/\/dist\/(client|core)\//.test(url))
  expect(outside).toEqual([])
  expect(loaded.filter((url) => url.includes('/credentials/'))).toEqual([])
})
