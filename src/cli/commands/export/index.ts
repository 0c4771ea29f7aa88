import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { flag, pathArgument, text } from '../../options.ts'

export default defineCommand({
  name: 'export',
  summary: 'Write the originals of a project to a folder',
  description:
    'Write the originals of a project to a folder, with a manifest of their paths, tags and dates that other programs can read.',
  arguments: { folder: pathArgument('<folder>', 'A new or empty folder, or one with an earlier export of the project') },
  options: {
    project: text('-p, --project <name>', 'Project (ID or name)'),
    prune: flag('--prune', 'Delete files of documents that the project no longer has, if an earlier export wrote them'),
  },
  details: [
    'The command downloads only what the folder lacks: run it again to continue an interrupted export. It checks the hash of every file.',
    'It does not export documents in the trash.',
    '',
    'docs/export.md describes the files. `docsearch import` reads them.',
  ].join('\n'),
  examples: ['docsearch export ~/contracts-export --project contracts', 'docsearch --profile old export /mnt/move -p contracts'],
  async run(context, { folder }, { project, prune }) {
    const { exportProject } = await import('./export.ts')
    const named = project ?? (await context.target()).project
    if (named === undefined || named === null || named === '') throw usage('Name the project with --project.')
    return exportProject(context, { folder, project: named, prunes: prune })
  },
})
