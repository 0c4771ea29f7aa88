import { Option, type Command } from 'commander'
import { SCOPES } from '../core/model.ts'
import { addNoun, type Load, type On } from './command.ts'
import { integer, scopes } from './options.ts'

/** The nouns of whoever is logged in; those of an instance are in administration.ts. */
export function addNouns(program: Command, on: On): void {
  addProjects(program, on)
  addDocuments(program, on)
  addKeys(program, on)
}

function addProjects(program: Command, on: On): void {
  const list: Load = () => import('./commands/projects/list.ts')
  const noun = addNoun(program.command('projects').description('list, show, create, rename and delete projects'), list, on)
  on(
    noun
      .command('list')
      .alias('ls')
      .description('list the projects')
      .option('-n, --limit <number>', 'how many (default all)', integer(1)),
    list,
    'docsearch projects list --json',
  )
  on(
    noun.command('show').description('show a project').argument('<project>', 'id or name'),
    () => import('./commands/projects/show.ts'),
    'docsearch projects show contracts',
  )
  on(
    noun.command('create').description('make a project').argument('<name>').option('-d, --description <text>', 'what it is for'),
    () => import('./commands/projects/create.ts'),
    'docsearch projects create contracts --description "all that is signed"',
  )
  on(
    noun
      .command('rename')
      .description('give a project another name')
      .argument('<project>', 'id or name')
      .argument('<name>', 'its new name'),
    () => import('./commands/projects/rename.ts'),
    'docsearch projects rename contracts agreements',
  )
  on(
    noun
      .command('delete')
      .alias('rm')
      .description('delete a project with its documents')
      .argument('<project>', 'id or name')
      .option('-y, --yes', 'do not ask'),
    () => import('./commands/projects/delete.ts'),
    'docsearch projects delete contracts --yes',
  )
}

function addDocuments(program: Command, on: On): void {
  const list: Load = () => import('./commands/documents/list.ts')
  const noun = addNoun(
    program.command('documents').alias('docs').description('list, show, read, fetch and delete documents'),
    list,
    on,
  )
  on(
    noun
      .command('list')
      .alias('ls')
      .description('list the documents')
      .option('-p, --project <name>', 'only of this project (id or name)')
      .addOption(new Option('--status <status>', 'only with this status').choices(['queued', 'processing', 'ready', 'failed']))
      .option('--warnings', 'only those of which a search may miss something')
      .option('--name <text>', 'only with this in the name')
      .option('-n, --limit <number>', 'how many (default all)', integer(1)),
    list,
    'docsearch documents list --status failed',
    'docsearch documents list --warnings --project contracts',
  )
  on(
    noun.command('show').description('show a document').argument('<document>', 'id, or a name or path no other has'),
    () => import('./commands/documents/show.ts'),
    'docsearch documents show report.pdf',
  )
  on(
    noun
      .command('get')
      .description('fetch the original')
      .argument('<document>', 'id, or a name or path no other has')
      .option(
        '-o, --output <file>',
        'where to write it, - for standard output (default: its name, here; on a pipe standard output)',
      )
      .option('-f, --force', 'replace a file that is there'),
    () => import('./commands/documents/get.ts'),
    'docsearch documents get doc_01h… -o report.pdf',
  )
  on(
    noun
      .command('text')
      .description('print what was read from a document')
      .argument('<document>', 'id, or a name or path no other has')
      .option('--page <number>', 'only this page', integer(1)),
    () => import('./commands/documents/text.ts'),
    'docsearch documents text doc_01h… --page 3',
  )
  on(
    noun
      .command('delete')
      .alias('rm')
      .description('delete documents')
      .argument('<document...>', 'ids, or names or paths no others have')
      .option('-y, --yes', 'do not ask'),
    () => import('./commands/documents/delete.ts'),
    'docsearch documents delete doc_01h… --yes',
  )
  on(
    noun
      .command('reprocess')
      .alias('retry')
      .description('read documents anew; without any, all that failed')
      .argument('[document...]', 'ids, or names or paths no others have')
      .option('-p, --project <name>', 'those of this project (id or name)')
      .option('--warnings', 'those of which a search may miss something, in place of those that failed'),
    () => import('./commands/documents/reprocess.ts'),
    'docsearch documents reprocess doc_01h…',
    'docsearch documents retry --project contracts',
    'docsearch documents retry --warnings',
  )
}

function addKeys(program: Command, on: On): void {
  const list: Load = () => import('./commands/keys/list.ts')
  const noun = addNoun(program.command('keys').description('list, create and delete API keys'), list, on)
  on(noun.command('list').alias('ls').description('list the keys'), list, 'docsearch keys list')
  on(
    noun
      .command('create')
      .description('make a key; it is printed this once')
      .argument('<name>', 'what it is for')
      .addOption(new Option('--scope <scope>', 'what it may do; may be repeated').choices(SCOPES).argParser(scopes))
      .option('--expires-in-days <number>', 'when it ends (default never)', integer(1, 3650)),
    () => import('./commands/keys/create.ts'),
    'docsearch keys create ci --scope write:documents --expires-in-days 90',
  )
  on(
    noun
      .command('delete')
      .alias('rm')
      .description('delete a key; whoever uses it is locked out')
      .argument('<id>')
      .option('-y, --yes', 'do not ask'),
    () => import('./commands/keys/delete.ts'),
    'docsearch keys delete key_01h… --yes',
  )
}
