import { defineCommand } from '../../define.ts'
import { EXIT, usage } from '../../exit.ts'
import { argumentList, choice, flag, repeatable, text } from '../../options.ts'
import { count } from '../../view/style.ts'

const STDIN = '-'

export default defineCommand({
  name: 'upload',
  summary: 'Upload files to a project',
  arguments: { paths: argumentList('[path...]', 'Files, folders or globs; - reads standard input') },
  options: {
    project: text('-p, --project <name>', "Project to upload to (ID or name); created if it doesn't exist"),
    tags: repeatable(text('-t, --tag <tag>', 'Tag for the documents, repeatable')),
    recursive: flag('-r, --recursive', 'Include subfolders'),
    name: text('--name <name>', 'Name of the document read from standard input'),
    onConflict: choice(
      '--on-conflict <action>',
      'What to do if the project has a different file at the same path (default replace)',
      ['replace', 'keep', 'error'],
    ),
    wait: flag('-w, --wait', 'Wait until the documents are searchable'),
    dryRun: flag('-n, --dry-run', 'Show what would be uploaded'),
  },
  examples: [
    'docsearch upload report.pdf notes/*.txt',
    'docsearch upload ~/Contracts --recursive --project contracts --wait',
    'pandoc page.md -t plain | docsearch upload - --name page.txt',
  ],
  async run(context, { paths }, { project, tags, recursive, name, onConflict, wait, dryRun }) {
    const isFromStdin = paths.includes(STDIN)
    if (paths.length === 0) throw usage('Missing path. Usage: docsearch upload PATH…, or - for standard input')
    if (isFromStdin && !name) throw usage('Standard input needs a name. Pass one with --name, such as --name notes.txt.')
    if (project === '') throw usage('--project is empty. Name a project, or leave the option out.')
    if (!isFromStdin && name !== undefined)
      throw usage('--name is only for standard input: docsearch upload - --name NAME. Files keep their names.')

    const [{ planUpload }, { printPlan, reportNothingToUpload }] = await Promise.all([
      import('./plan.ts'),
      import('./dry-run.ts'),
    ])
    const named = paths.filter((path) => path !== STDIN)
    const plan = await planUpload(named, recursive)
    if (!isFromStdin && plan.files.length === 0) return reportNothingToUpload(context, plan, named)
    if (plan.skippedFolders > 0)
      context.notice(`Skipped ${count(plan.skippedFolders, 'subfolder')}. To include subfolders, add --recursive.`)
    if (dryRun && !isFromStdin) return printPlan(context, plan)

    const [{ chooseDestination }, { transfer }, { spoolStdin }] = await Promise.all([
      import('./destination.ts'),
      import('./transfer.ts'),
      import('./stdin.ts'),
    ])
    const destination = dryRun ? null : await chooseDestination(context, project, { mayAsk: !isFromStdin })
    const spooled = isFromStdin ? await spoolStdin(context.io, name ?? '') : null
    try {
      const files = spooled === null ? plan.files : [spooled.file, ...plan.files]
      if (destination === null) return printPlan(context, { ...plan, files })
      const settings = { ...destination.settings, tags: splitTags(tags), ...(onConflict !== undefined && { onConflict }) }
      await transfer(context, destination.client, { ...plan, files }, settings, { waits: wait })
      return EXIT.done
    } finally {
      await spooled?.remove()
    }
  },
})

/** `--tag a,b --tag c` is three tags. */
function splitTags(given: readonly string[]): string[] {
  return given
    .flatMap((tag) => tag.split(','))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}
