import { Command, Option } from 'commander'
import { addAdministration } from './administration.ts'
import type { Load, On } from './command.ts'
import { createContext } from './context.ts'
import type { Globals } from './context.ts'
import { EXIT_CODES_HELP } from './exit.ts'
import type { Io } from './io.ts'
import { addNouns } from './nouns.ts'
import { collect, fraction, integer, scopes } from './options.ts'

type Runner = (load: Load, command: Command) => Promise<void>

/** Parses the arguments and runs the command they name. Throws CommanderError for wrong usage, whatever the command throws otherwise. */
export async function runProgram(argv: readonly string[], io: Io, version: string): Promise<number> {
  let exitCode = 0
  const program = buildProgram(version, async (load, command) => {
    const { run } = await load()
    const args = command.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string')
    const context = createContext(io, program.opts<Globals>(), version)
    // With those of its noun: commander hands them to the noun wherever they stand.
    exitCode = (await run(context, args, optionsOf(command, program) as never)) ?? 0
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

/** The command's own and those of its noun (`users --data DIR list`). The program's are in the context: what a command is given may go into a request as it is. */
function optionsOf(command: Command, program: Command): Record<string, unknown> {
  const { parent } = command
  return { ...(parent === null || parent === program ? {} : optionsOf(parent, program)), ...command.opts() }
}

function visit(command: Command, each: (command: Command) => unknown): void {
  each(command)
  for (const inner of command.commands) visit(inner, each)
}

/** The whole command tree: `--help`, the parsing and the completions come from it. Nothing a command does is loaded here. */
export function buildProgram(version: string, runner: Runner): Command {
  const program = new Command('docsearch')
  const on: On = (command, load, ...examples) => help(command, examples).action(async () => runner(load, command))

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
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: globalOptions })
  help(program, ['docsearch serve', 'docsearch upload ~/Documents --recursive', 'docsearch search "when is the rent due"'])

  addServe(program, on)
  addAccount(program, on)
  addUpload(program, on)
  addSearch(program, on)
  addEval(program, on)
  addNouns(program, on)
  addAdministration(program, on)

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

function addServe(program: Command, on: On): void {
  on(
    withDataOptions(program.command('serve').description('run the daemon: it keeps, reads and searches the documents'))
      .option(
        '--embedder <name>',
        'auto (default: what `models use` chose, else the best there is), builtin or ollama:MODEL; a name beats the choice at every start',
      )
      .option(
        '--reranker <name>',
        'auto, builtin, none, ollama:MODEL or the address of a rerank endpoint, its key in DOCSEARCH_RERANK_KEY (default auto)',
      )
      .option('--host <address>', 'address to listen on (default 127.0.0.1)')
      .option('--port <number>', 'port to listen on, 0 takes a free one (default 4747)', integer(0, 65_535))
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
      .description('log in to an instance through the browser; the login is kept in the system keychain or a private file')
      .argument('[url]', 'address of the instance')
      .option('--device', 'show a code to enter in a browser elsewhere (chosen by itself over SSH and without a display)')
      .addOption(new Option('--with-token', 'read a key from standard input instead').conflicts(['device', 'clientId', 'scope']))
      .option(
        '--client-id <id>',
        'log in as this registered client; its secret is read from DOCSEARCH_CLIENT_SECRET or standard input',
      )
      .option('--scope <scope>', 'what the login may do (default all); may be repeated', scopes),
    () => import('./commands/login/run.ts'),
    'docsearch login https://docs.example.org',
    'docsearch --profile work login https://docs.example.org --device',
    'docsearch login https://docs.example.org --with-token < key.txt',
    'docsearch login https://docs.example.org --client-id app_01h… < secret.txt',
  )
  on(
    program.command('logout').description('end the login at an instance and forget it; a key is only forgotten'),
    () => import('./commands/logout.ts'),
    'docsearch logout',
  )
  on(
    program.command('whoami').description('show who is logged in, where, how, and until when'),
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
      .option('--no-correct', 'search for the words as they are, misspelt or not')
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
    `docsearch search '"third working day" rent name:lease'    words in this order, in documents with lease in their name`,
    `docsearch search 'rent -deposit -"late fee"'              without passages that say these`,
    'docsearch search rent | cut -d: -f1,2',
  )
}

const EVAL_HELP = `
The file is a list in YAML, or one JSON object a line: a question, and where its answer stands.
  - query: when is the rent due
    project: contracts                            # id or name, or a list of them; all when left out
    expect: [{ document: lease.pdf, page: 2 }]    # name, path or id; the page may be left out

Results count as they are shown, be they of one document; a document or page is found at the first that has it.
Exit code 1 here: not one was found; 3: a question could not be asked, or a measure dropped by more than --max-drop.`

function addEval(program: Command, on: On): void {
  on(
    program
      .command('eval')
      .description('ask questions whose answers are known, and say how well they are found')
      .argument('<file>', 'the judged questions')
      .option('-n, --limit <number>', 'how many results are looked at, 1 to 100 (default 10)', integer(1, 100))
      .addOption(new Option('--mode <mode>', 'how to search (default hybrid)').choices(['hybrid', 'vector', 'keyword']))
      .option('--no-rerank', 'leave the order of the first stage')
      .option('-g, --group', 'one result for each document')
      .option('--baseline <file>', 'compare with a former run, as its --json printed it')
      .option('--max-drop <number>', 'fail when a measure is lower than in the baseline by more, e.g. 0.02', fraction)
      .addHelpText('after', EVAL_HELP),
    () => import('./commands/eval/run.ts'),
    'docsearch eval questions.yaml',
    'docsearch --json eval questions.yaml > before.json',
    'docsearch eval questions.yaml --baseline before.json --max-drop 0.02',
  )
}

function help(command: Command, examples: readonly string[]): Command {
  const shown = examples.length === 0 ? '' : `\nExamples:\n${examples.map((line) => `  $ ${line}\n`).join('')}`
  return command.addHelpText('after', `${shown}\n${EXIT_CODES_HELP}`)
}

/** Options of the noun and of the program stand in the help of a command too; `--version` belongs to the program alone. */
function globalOptions({ parent }: Command): Option[] {
  if (parent === null) return []
  return [...parent.options.filter((option) => option.long !== '--version'), ...globalOptions(parent)]
}
