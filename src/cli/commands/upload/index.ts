import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { selectionOptions } from '../../files/found.ts'
import { choice, flag, pathList, repeatable, text } from '../../options.ts'

const STDIN = '-'

export default defineCommand({
  name: 'upload',
  summary: 'Upload files to a project',
  arguments: { paths: pathList('[path...]', 'Files, folders or globs; - reads standard input') },
  options: {
    project: text('-p, --project <name>', "Project to upload to (ID or name); created if it doesn't exist"),
    tags: repeatable(text('-t, --tag <tag>', 'Tag for the documents, repeatable')),
    recursive: flag('-r, --recursive', 'Include subfolders'),
    ...selectionOptions,
    name: text('--name <name>', 'Name of the document read from standard input'),
    onConflict: choice(
      '--on-conflict <action>',
      'What to do if the project has a different file at the same path (default replace)',
      ['replace', 'keep', 'error'],
    ),
    wait: flag('-w, --wait', 'Wait until the documents are searchable'),
    dryRun: flag('-n, --dry-run', 'Show what would be uploaded'),
  },
  details: [
    'The path of a document starts with the name of the folder: `upload alice` stores alice/contract.txt, and `upload .` uses',
    'the name of the current folder. A single file is stored under its own name. docsearch does not',
    'send files again that the project already has.',
    '',
    'In folders, docsearch skips hidden files, node_modules and other generated files, caches (folders with a CACHEDIR.TAG),',
    'what .gitignore and .docsearchignore name, and files without text that it reads, such as pictures.',
  ].join('\n'),
  examples: [
    'docsearch upload report.pdf notes/*.txt',
    'docsearch upload ~/Contracts --recursive --project contracts --wait',
    "docsearch upload . -r --exclude drafts --exclude '*.log' --max-size 20MB --dry-run",
    'pandoc page.md -t plain | docsearch upload - --name page.txt',
  ],
  async run(context, { paths }, { project, tags, name, onConflict, wait, dryRun, ...selection }) {
    const isFromStdin = paths.includes(STDIN)
    if (paths.length === 0) throw usage('Missing path. Usage: docsearch upload PATH…, or - for standard input')
    if (isFromStdin && !name) throw usage('Standard input needs a name. Pass one with --name, such as --name notes.txt.')
    if (project === '') throw usage('--project is empty. Name a project, or leave the option out.')
    if (!isFromStdin && name !== undefined)
      throw usage('--name works only for standard input, as in `docsearch upload - --name NAME`. Files keep their names.')

    const { upload } = await import('./upload.ts')
    return upload(context, {
      named: paths.filter((path) => path !== STDIN),
      stdinName: isFromStdin ? (name ?? '') : null,
      project,
      selection,
      settings: { tags: splitTags(tags), ...(onConflict !== undefined && { onConflict }) },
      waits: wait,
      isDryRun: dryRun,
    })
  },
})

/** `--tag a,b --tag c` is three tags. */
function splitTags(given: readonly string[]): string[] {
  return given
    .flatMap((tag) => tag.split(','))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}
