import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { selectionOptions } from '../../files/found.ts'
import { flag, option, optionalPath, path, repeatable, text } from '../../options.ts'
import { parseMaxDelete } from './max-delete.ts'

export default defineCommand({
  name: 'sync',
  summary: 'Make the documents of a project match a folder',
  arguments: { folder: optionalPath('[folder]', 'The folder') },
  options: {
    project: text('-p, --project <name>', "Project (ID or name); created if it doesn't exist"),
    tags: repeatable(text('-t, --tag <tag>', 'Tag for new and changed documents, repeatable')),
    prune: flag('--prune', 'Delete documents whose files are gone'),
    maxDelete: option(
      '--max-delete <n>',
      'With --prune: delete no more than this number or percentage (default 10%)',
      parseMaxDelete,
    ),
    wholeProject: flag('--whole-project', 'Compare with all documents of the project, not only those of this folder'),
    ...selectionOptions,
    dryRun: flag('-n, --dry-run', 'Show what sync would do, and change nothing', { conflictsWith: ['watch', 'apply'] }),
    plan: { ...path('--plan <file>', 'Write the planned changes to a file, and make none of them'), conflictsWith: ['apply'] },
    apply: path('--apply <file>', 'Make the changes in a file that --plan wrote'),
    watch: flag('--watch', 'Keep running, and sync whenever the folder changes', { conflictsWith: ['plan', 'apply'] }),
    install: flag('--install', 'Start `--watch` with these options at every login, as a systemd unit or launchd agent', {
      conflictsWith: ['dryRun', 'plan', 'apply', 'watch', 'uninstall'],
    }),
    uninstall: flag('--uninstall', 'Stop and remove the service that --install created', {
      conflictsWith: ['dryRun', 'plan', 'apply', 'watch'],
    }),
    wait: flag('-w, --wait', 'Wait until the documents are searchable'),
    verbose: flag('--verbose', 'Print a line for each document'),
  },
  details: [
    'Compares the files with the documents at the same paths, which start with the name of the folder, as in `docsearch upload`.',
    'Sends new and changed files, and moves the documents of renamed files. Documents of other folders stay as they are.',
    'Deletes nothing without --prune, and with it only when everything else went well.',
    '',
    'Skips hidden files, node_modules and other generated files, folders with a CACHEDIR.TAG, what .gitignore and .docsearchignore name, and files in which',
    'docsearch cannot read text. If the project has documents for such files, sync does not delete them.',
  ].join('\n'),
  examples: [
    'docsearch sync ~/Contracts --project contracts',
    'docsearch sync ~/Contracts --project contracts --prune --dry-run',
    'docsearch sync ~/Contracts --project contracts --prune --plan plan.json',
    'docsearch sync --apply plan.json',
    'docsearch sync ~/Contracts --project contracts --prune --watch',
    'docsearch sync ~/Contracts --project contracts --prune --install',
  ],
  async run(context, { folder }, options) {
    const { runApply, runSync } = await import('./run.ts')
    if (options.apply !== undefined) {
      if (folder !== undefined) throw usage('--apply takes the folder from the plan. Run the command without a folder.')
      return runApply(context, options.apply, options)
    }
    if (folder === undefined) throw usage('Missing folder. Usage: docsearch sync FOLDER --project PROJECT')
    if (options.project === '') throw usage('--project is empty. Name a project, or leave the option out.')
    if (options.maxDelete !== undefined && !options.prune)
      throw usage('--max-delete has no effect without --prune. Add --prune, or leave out --max-delete.')
    return runSync(context, folder, options)
  },
})
