import { Command, InvalidArgumentError, Option } from 'commander'
import { createContext } from './context.ts'
import type { Context, Globals } from './context.ts'
import { EXIT_CODES_HELP, usage } from './exit.ts'
import type { Io } from './io.ts'

/** What each file under commands/ exports. Undefined is exit code 0. */
export interface CommandModule {
  run(context: Context, args: string[], options: never): Promise<number | void>
}

type Load = () => Promise<CommandModule>
type Runner = (load: Load, command: Command) => Promise<void>

/** Parses the arguments and runs the command they name. Throws CommanderError for wrong usage, whatever the command throws otherwise. */
export async function runProgram(argv: readonly string[], io: Io, version: string): Promise<number> {
  let exitCode = 0
  const program = buildProgram(version, async (load, command) => {
    const { run } = await load()
    const args = command.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string')
    const context = createContext(io, program.opts<Globals>(), version)
    exitCode = (await run(context, args, command.opts<never>())) ?? 0
  })
  visit(program, (command) =>
    command.exitOverride().configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      // What is wrong is said once, by report.ts, in the form that was asked for.
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getOutHasColors: () => false,
    }),
  )
  if (argv.length === 0) {
    program.outputHelp()
    return 0
  }
  await program.parseAsync([...argv], { from: 'user' })
  return exitCode
}

function visit(command: Command, each: (command: Command) => unknown): void {
  each(command)
  for (const inner of command.commands) visit(inner, each)
}

/** The whole command tree: `--help`, the parsing and the completions come from it. Nothing a command does is loaded here. */
export function buildProgram(version: string, runner: Runner): Command {
  const program = new Command('docsearch')
  const on = (command: Command, load: Load, ...examples: string[]): Command =>
    help(command, examples).action(async () => runner(load, command))

  program
    .description('Search your documents by meaning and by word, on a machine of your own.')
    .usage('[options] <command>')
    .version(version, '-V, --version', 'print the version')
    .option('--server <url>', 'address of the instance (DOCSEARCH_SERVER)')
    .option('--profile <name>', 'use this profile (DOCSEARCH_PROFILE)')
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'say nothing beside results and errors')
    .option('--no-color', 'no colours (NO_COLOR)')
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: (command) => globalOptions(command, program) })
  help(program, ['docsearch serve', 'docsearch upload ~/Documents --recursive', 'docsearch search "when is the rent due"'])

  addServe(program, on)
  addAccount(program, on)
  addUpload(program, on)
  addSearch(program, on)
  addProjects(program, on)
  addDocuments(program, on)
  addKeys(program, on)

  on(
    program
      .command('completion')
      .description('print the completion script of a shell')
      .addArgument(program.createArgument('<shell>', 'whose').choices(['bash', 'zsh', 'fish'])),
    () => import('./commands/completion.ts'),
    'docsearch completion bash > ~/.local/share/bash-completion/completions/docsearch',
    'docsearch completion zsh > "${fpath[1]}/_docsearch"',
    'docsearch completion fish > ~/.config/fish/completions/docsearch.fish',
  )
  on(
    program.command('__complete <what>', { hidden: true }).description('names for the completion of a shell'),
    () => import('./commands/complete.ts'),
  )
  return program
}

type On = (command: Command, load: Load, ...examples: string[]) => Command

function addServe(program: Command, on: On): void {
  on(
    withDataOptions(program.command('serve').description('run the daemon: it keeps, reads and searches the documents'))
      .option('--embedder <name>', 'auto, builtin or ollama:MODEL (default auto); another one by name embeds everything anew')
      .option('--host <address>', 'address to listen on (default 127.0.0.1)')
      .option('--port <number>', 'port to listen on, 0 takes a free one (default 4747)', port)
      .option('--public-url <url>', 'address under which others reach it')
      .option('--ollama <url>', 'address of Ollama (default http://127.0.0.1:11434)')
      .option('--print-config', 'show each setting and where it comes from, then end'),
    () => import('./commands/serve.ts'),
    'docsearch serve',
    'docsearch serve --port 0 --data ./library --embedder builtin',
  )
  on(
    withDataOptions(
      program.command('reindex').description('build the index anew from the texts, at the next start of the daemon'),
    ),
    () => import('./commands/reindex.ts'),
    'docsearch reindex --data ./library',
  )
}

function withDataOptions(command: Command): Command {
  return command
    .option('--data <folder>', 'data folder (DOCSEARCH_DATA)')
    .option('--config <file>', 'settings instead of config.json in the data folder')
    .addOption(new Option('--log-level <level>', 'how much to log').choices(['debug', 'info', 'warn', 'error', 'silent']))
}

function addAccount(program: Command, on: On): void {
  on(
    program
      .command('login')
      .description('keep a key for an instance, in the system keychain or a private file')
      .argument('[url]', 'address of the instance')
      .option('--with-token', 'read the key from standard input'),
    () => import('./commands/login.ts'),
    'docsearch login https://docs.example.org --with-token < key.txt',
    'docsearch --profile work login https://docs.example.org --with-token',
  )
  on(
    program.command('logout').description('forget the key of an instance'),
    () => import('./commands/logout.ts'),
    'docsearch logout',
  )
  on(
    program.command('whoami').description('show who is logged in, where, and what is allowed'),
    () => import('./commands/whoami.ts'),
    'docsearch whoami --json',
  )
}

function addUpload(program: Command, on: On): void {
  on(
    program
      .command('upload')
      .description('add files to a project')
      .argument('[path...]', 'files, folders, globs, or - for standard input')
      .option('-p, --project <name>', 'into this project (id or name; made when missing)')
      .option('-t, --tag <tag>', 'give the documents this tag; may be repeated', collect)
      .option('-r, --recursive', 'take the folders within a folder too')
      .option('--name <name>', 'name of the document read from standard input')
      .addOption(new Option('--on-conflict <what>', 'same project and path, other bytes').choices(['replace', 'keep', 'error']))
      .option('-w, --wait', 'wait until the documents can be found')
      .option('-n, --dry-run', 'show what would be sent'),
    () => import('./commands/upload/run.ts'),
    'docsearch upload report.pdf notes/*.txt',
    'docsearch upload ~/Contracts --recursive --project contracts --wait',
    'pandoc page.md -t plain | docsearch upload - --name page.txt',
  )
}

function addSearch(program: Command, on: On): void {
  on(
    program
      .command('search')
      .description('find passages')
      .argument('[query...]', 'the question, in your own words')
      .option('-p, --project <name>', 'only in this project (id or name); may be repeated', collect)
      .option('-n, --limit <number>', 'how many results, 1 to 100 (default 10)', integer(1, 100))
      .addOption(new Option('--mode <mode>', 'how to search (default hybrid)').choices(['hybrid', 'vector', 'keyword']))
      .option('--no-rerank', 'leave the order of the first stage')
      .option('-g, --group', 'one result for each document')
      .option('--explain', 'show the ranks and scores of each stage')
      .option('--open <number>', 'open the document of this result', integer(1, 100))
      .option('-l, --names', 'only the names of the documents')
      .addOption(
        new Option(
          '--format <format>',
          'how to print; csv is for spreadsheets, with an apostrophe before what they would run',
        ).choices(['text', 'json', 'jsonl', 'csv']),
      ),
    () => import('./commands/search.ts'),
    'docsearch search when is the rent due',
    'docsearch search "notice period" --project contracts --group',
    'docsearch search rent | cut -d: -f1,2',
  )
}

/** A noun alone lists. What follows it and is none of its commands is named, with those there are. */
function addNoun(noun: Command, list: Load, on: On): Command {
  return on(
    noun.usage('[command]').helpCommand('help [command]', 'show the help of a command').allowExcessArguments(),
    async () => {
      const [unknown] = noun.args
      if (unknown === undefined) return list()
      const known = noun.commands.map((command) => command.name()).join(', ')
      throw usage(`unknown command '${noun.name()} ${unknown}'; there are ${known}.`)
    },
    `docsearch ${noun.name()}`,
  )
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
      .option('-p, --project <name>', 'those that failed in this project (id or name)'),
    () => import('./commands/documents/reprocess.ts'),
    'docsearch documents reprocess doc_01h…',
    'docsearch documents retry --project contracts',
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
      .addOption(
        new Option('--scope <scope>', 'what it may do; may be repeated')
          .choices(['read:documents', 'write:documents', 'manage:keys'])
          .argParser(scopes),
      )
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

function help(command: Command, examples: readonly string[]): Command {
  const shown = examples.length === 0 ? '' : `\nExamples:\n${examples.map((line) => `  $ ${line}\n`).join('')}`
  return command.addHelpText('after', `${shown}\n${EXIT_CODES_HELP}`)
}

/** Commander shows the program's own options in the help of its commands; `--version` belongs to the program alone. */
function globalOptions(command: Command, program: Command): Option[] {
  return command === program ? [] : program.options.filter((option) => option.long !== '--version')
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value]
}

function scopes(value: string, previous: string[] | undefined): string[] {
  const known = ['read:documents', 'write:documents', 'manage:keys']
  if (!known.includes(value)) throw new InvalidArgumentError(`Allowed choices are ${known.join(', ')}.`)
  return collect(value, previous)
}

function integer(min: number, max = Number.MAX_SAFE_INTEGER): (value: string) => number {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(
      max === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number from ${min} on.`
        : `It must be a whole number from ${min} to ${max}.`,
    )
  }
}

const port = integer(0, 65_535)
