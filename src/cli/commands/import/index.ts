import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { flag, pathArgument, text } from '../../options.ts'

export default defineCommand({
  name: 'import',
  summary: 'Upload an export of docsearch or Paperless-ngx',
  description: 'Upload the documents of an export, with their paths, tags and titles.',
  arguments: { folder: pathArgument('<folder>', 'What `docsearch export` or the `document_exporter` of Paperless-ngx wrote') },
  options: {
    project: text('-p, --project <name>', "Project (ID or name); created if it doesn't exist"),
    originals: flag(
      '--originals',
      'From a Paperless-ngx export: upload the original even if there is an archive version with recognized text',
    ),
    wait: flag('-w, --wait', 'Wait until the documents are searchable'),
    dryRun: flag('-n, --dry-run', 'Show what would be uploaded'),
  },
  details: [
    'The command compares every file with the hash in the export, and sends only what the project lacks.',
    '',
    'From Paperless-ngx, tags become tags, a correspondent becomes the tag correspondent:NAME, a document type type:NAME, and a',
    'storage path storage-path:NAME. docs/export.md says more.',
  ].join('\n'),
  examples: [
    'docsearch import ~/contracts-export --project contracts',
    'docsearch import /mnt/paperless/export --project paperless --dry-run',
  ],
  async run(context, { folder }, { project, originals, wait, dryRun }) {
    if (project === '') throw usage('--project is empty. Name a project, or leave the option out.')
    const { importFolder } = await import('./import.ts')
    return importFolder(context, { folder, project, prefersOriginals: originals, waits: wait, isDryRun: dryRun })
  },
})
