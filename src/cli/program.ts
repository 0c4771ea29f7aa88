import { Argument, Command as CommanderCommand, Option } from 'commander'
import { loadCommands } from './commands/index.ts'
import { createContext } from './context.ts'
import type { Globals } from './context.ts'
import type { AnyOption, ArgumentSpecs, Command, Given, Noun, OptionSpecs } from './define.ts'
import { EXIT_CODES_HELP, usage } from './exit.ts'
import { foldHelp } from './view/fold.ts'
import type { Io } from './io.ts'

/** Of help that does not go to a terminal. */
const DEFAULT_WIDTH = 100

type Execute = (command: Command, given: Given) => Promise<void>

/** Parses the arguments and runs the command they name. Throws CommanderError for wrong usage, and what the command throws. */
export async function runProgram(argv: readonly string[], io: Io, version: string): Promise<number> {
  let exitCode = 0
  const commands = await loadCommands(commandWord(argv))
  const program = buildProgram(version, commands, async (command, given) => {
    exitCode = (await command.execute(createContext(io, program.opts<Globals>(), version), given)) ?? 0
  })
  visit(program, (command) =>
    command.exitOverride().configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      // report.ts prints the error, as text or as JSON.
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? DEFAULT_WIDTH,
      getOutHasColors: () => false,
    }),
  )
  if (argv.length === 0) {
    program.outputHelp()
    return 0
  }
  if (commandWord(argv) === 'help') {
    const { operands } = program.parseOptions([...argv])
    const { isTopic, showTopic } = await import('./topics.ts')
    const [, topic] = operands
    if (isTopic(topic)) {
      await showTopic(createContext(io, program.opts<Globals>(), version), topic)
      return 0
    }
  }
  await program.parseAsync([...argv], { from: 'user' })
  return exitCode
}

/** The command tree that parses arguments, prints help and makes the completions. */
export function buildProgram(version: string, commands: readonly (Command | Noun)[], execute: Execute): CommanderCommand {
  const program = new CommanderCommand('docsearch')
    .description('Search your own documents by meaning and by keyword.')
    .usage('[options] <command>')
    .version(version, '-V, --version', 'Print the version')
    .option('--server <url>', 'Address of the instance (DOCSEARCH_SERVER)')
    .option('--profile <name>', 'Use a saved profile (DOCSEARCH_PROFILE)')
    .option('--cacert <file>', 'Trust this certificate authority too, in PEM format (DOCSEARCH_CACERT)')
    .option('--json', 'Print JSON')
    .option('-q, --quiet', 'Print only results and errors')
    .option('--no-color', "Don't use colours (NO_COLOR)")
    .option('--no-pager', "Don't show long output with a pager (DOCSEARCH_PAGER, PAGER)")
    .helpOption(HELP_FLAGS, HELP_DESCRIPTION)
    .helpCommand('help [topic]', 'Show help for a command or topic')
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: globalOptions, minWidthToWrap: 20 })
  addHelp(program, TOPICS_HELP, [
    'docsearch serve',
    'docsearch upload ~/Documents --recursive',
    'docsearch search "when is the rent due"',
  ])
  for (const command of commands) addTo(program, command, execute)
  return program
}

/** A copy of the names in topics.ts, so that their module need not load. */
const TOPICS_HELP = 'Help topics: search-syntax, configuration, exit-codes (`docsearch help TOPIC`)'

const HELP_FLAGS = '-h, --help'
const HELP_DESCRIPTION = 'Show help'
/** Global options whose value is a separate word. */
const GLOBAL_VALUES = ['--server', '--profile', '--cacert']

/** The word that names the command, so that only this one has to load; undefined when there is none. */
function commandWord(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word, i) => !word.startsWith('-') && !GLOBAL_VALUES.includes(argv[i - 1] ?? ''))
  return argv[at]
}

function addTo(parent: CommanderCommand, command: Command | Noun, execute: Execute): void {
  if ('commands' in command) addNoun(parent, command, execute)
  else addCommand(parent, command, execute)
}

function addCommand(parent: CommanderCommand, command: Command, execute: Execute): void {
  const added = parent
    .command(command.name, { hidden: command.isHidden })
    .aliases([...command.aliases])
    .summary(command.summary)
    .description(command.description)
    .helpOption(HELP_FLAGS, HELP_DESCRIPTION)
    // A noun allows them, to name its commands in its own message.
    .allowExcessArguments(false)
  for (const { syntax, description, choices } of command.arguments) {
    const argument = new Argument(syntax, description)
    added.addArgument(choices === undefined ? argument : argument.choices(choices))
  }
  for (const spec of command.options) {
    const isOfNoun = parent.options.some((option) => option.flags === spec.flags)
    if (!isOfNoun) added.addOption(optionOf(spec))
  }
  addHelp(added, command.details, command.examples)
  added.action(() => execute(command, givenTo(added)))
}

/** The noun alone, or with arguments, runs its standalone command. Any other word after it is an error. */
function addNoun(parent: CommanderCommand, noun: Noun, execute: Execute): void {
  const added = parent
    .command(noun.name)
    .aliases([...noun.aliases])
    .summary(noun.summary)
    .description(noun.description)
    .usage(usageOf(noun.standalone))
    .helpOption(HELP_FLAGS, HELP_DESCRIPTION)
    .helpCommand('help [command]', 'Show help for a command')
    .allowExcessArguments()
  for (const spec of noun.options) added.addOption(optionOf(spec))
  for (const { syntax, description } of argumentsOf(noun.standalone)) added.addArgument(new Argument(syntax, description))
  for (const command of noun.commands) addTo(added, command, execute)
  const takesArguments = argumentsOf(noun.standalone).length > 0
  if (takesArguments) {
    added.allowExcessArguments(false)
    for (const spec of noun.standalone!.options) added.addOption(optionOf(spec))
  }
  if (takesArguments) addHelp(added, noun.standalone!.details, noun.standalone!.examples)
  else addHelp(added, '', noun.standalone === null ? [] : [`docsearch ${noun.name}`])
  added.action(async () => {
    const [unknown] = added.args
    if (noun.standalone !== null && (unknown === undefined || takesArguments)) return execute(noun.standalone, givenTo(added))
    const known = noun.commands.map(({ name }) => name).join(', ')
    const what = unknown === undefined ? `missing command after '${noun.name}'` : `unknown command '${noun.name} ${unknown}'`
    throw usage(`${what}. Use one of: ${known}.`)
  })
}

function usageOf(standalone: Command | null): string {
  const syntax = argumentsOf(standalone).map((argument) => argument.syntax)
  return syntax.length === 0 ? '[command]' : ['[options]', ...syntax].join(' ')
}

function argumentsOf(command: Command | null): readonly ArgumentSpecs<Record<string, unknown>>[string][] {
  return command?.arguments ?? []
}

function optionOf(spec: AnyOption): Option {
  const option = new Option(spec.flags, spec.description)
  // Before argParser, which replaces the check that `choices` installs.
  if (spec.choices !== undefined) option.choices(spec.choices)
  if (spec.parse !== undefined) option.argParser(spec.parse)
  if (spec.conflictsWith !== undefined) option.conflicts([...spec.conflictsWith])
  return option.makeOptionMandatory(spec.isRequired ?? false)
}

function givenTo(command: CommanderCommand): Given {
  return {
    arguments<A extends object>(specs: ArgumentSpecs<A> | undefined): A {
      const values = Object.entries<ArgumentSpecs<Record<string, unknown>>[string]>(specs ?? {}).map(([name, { read }], i) => {
        const given: unknown = command.processedArgs[i]
        return [name, read([given].flat().filter((value) => typeof value === 'string'))]
      })
      return Object.fromEntries(values)
    },
    options<O extends object>(specs: OptionSpecs<O> | undefined): O {
      const values = Object.entries<AnyOption>(specs ?? {}).map(([name, spec]) => {
        const key = new Option(spec.flags).attributeName()
        const given: unknown = command.getOptionValue(key) ?? command.parent?.getOptionValue(key)
        return [name, given ?? spec.fallback]
      })
      return Object.fromEntries(values)
    },
  }
}

function addHelp(command: CommanderCommand, details: string, examples: readonly string[]): void {
  const shown = examples.length === 0 ? '' : `\nExamples:\n${examples.map((line) => `  $ ${line}\n`).join('')}`
  // Examples are not folded, because users copy them.
  if (details !== '') command.addHelpText('after', (shownBy) => `\n${foldHelp(details, helpWidthOf(shownBy.command))}`)
  command.addHelpText('after', ({ command: of }) => `${shown}\n${foldHelp(EXIT_CODES_HELP, helpWidthOf(of))}`)
}

function helpWidthOf(command: CommanderCommand): number {
  return command.configureOutput().getOutHelpWidth?.() ?? DEFAULT_WIDTH
}

/** Help of a command lists the options of its noun and of the program too, except `--version`. */
function globalOptions({ parent }: CommanderCommand): Option[] {
  if (parent === null) return []
  return [...parent.options.filter((option) => option.long !== '--version'), ...globalOptions(parent)]
}

function visit(command: CommanderCommand, each: (command: CommanderCommand) => unknown): void {
  each(command)
  for (const inner of command.commands) visit(inner, each)
}
