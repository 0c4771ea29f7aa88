import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { runPager } from '../../../src/cli/pager.ts'
import { openFile } from '../../../src/cli/viewer.ts'
import { testFolder } from '../../support/cli.ts'
import { until } from '../../support/until.ts'

afterEach(() => void vi.unstubAllEnvs())

/** Puts programs into an otherwise empty PATH. Each is the body of a shell script. */
function programs(scripts: Record<string, string>): string {
  const folder = testFolder()
  for (const [name, body] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  vi.stubEnv('PATH', folder)
  return folder
}

const writeArguments = 'printf "%s|" "$@" > "$0.args.part"; /bin/mv "$0.args.part" "$0.args"'
const isLinux = process.platform === 'linux'

test.runIf(isLinux).each([
  ['org.gnome.Evince.desktop', 'evince', '--page-index=7|/a b.pdf|'],
  ['org.kde.okular.desktop', 'okular', '--page|7|/a b.pdf|'],
  ['org.pwmt.zathura-pdf-mupdf.desktop', 'zathura', '--page=7|/a b.pdf|'],
])('%s opens a PDF at a page', async (desktopFile, program, args) => {
  const folder = programs({ 'xdg-mime': `echo ${desktopFile}`, [program]: writeArguments })
  await openFile('/a b.pdf', 7)
  const file = join(folder, `${program}.args`)
  await until('the viewer to start', () => existsSync(file))
  expect(readFileSync(file, 'utf8')).toBe(args)
})

test.runIf(isLinux).each([
  ['without xdg-mime', {}, /ENOENT/],
  ['without a viewer', { 'xdg-mime': 'echo' }, /no PDF viewer is set up/],
  ['with a viewer that takes no page', { 'xdg-mime': 'echo firefox.desktop' }, /firefox.desktop can't open a file at a page/],
  ['with a viewer that is gone', { 'xdg-mime': 'echo org.gnome.Evince.desktop' }, /ENOENT/],
  ['with a viewer that fails', { 'xdg-mime': 'echo org.gnome.Evince.desktop', evince: 'exit 3' }, /exit code 3/],
])('opening at a page is refused %s', async (_, scripts, message) => {
  programs(scripts)
  await expect(openFile('/a.pdf', 2)).rejects.toThrow(message)
})

test('a pager gets the text, with the options of git for less', async () => {
  const file = join(testFolder(), 'paged')
  expect(await runPager(`(echo "$LESS"; cat) > ${file}`, 'one\ntwo\n', { PATH: process.env['PATH'] })).toBe(true)
  expect(readFileSync(file, 'utf8')).toBe('FRX\none\ntwo\n')
})

test('a pager that the user leaves early is no error, and one that is missing is reported', async () => {
  const long = 'line\n'.repeat(100_000)
  expect(await runPager('true', long, { PATH: process.env['PATH'] })).toBe(true)
  expect(await runPager('docsearch-has-no-such-pager 2>&-', long, { PATH: process.env['PATH'] })).toBe(false)
})
