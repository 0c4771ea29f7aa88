/** Compiled by `npm run types`: what a command declares is what its `run` gets. */
import { defineCommand } from '../../src/cli/define.ts'
import {
  argument,
  argumentList,
  choice,
  choiceArgument,
  flag,
  integer,
  option,
  optionalArgument,
  repeatable,
  text,
} from '../../src/cli/options.ts'

/** Compiles only for two types that are the same. */
function sameType<Expected>() {
  return <Actual>(
    _value: Actual,
    ..._same: [Actual] extends [Expected] ? ([Expected] extends [Actual] ? [] : [never]) : [never]
  ) => {}
}

defineCommand({
  name: 'example',
  summary: 'Example',
  arguments: {
    project: argument('<project>'),
    url: optionalArgument('[url]'),
    paths: argumentList('[path...]'),
    shell: choiceArgument('<shell>', 'Shell', ['bash', 'zsh']),
  },
  options: {
    yes: flag('-y, --yes', 'A switch'),
    name: text('--name <name>', 'Text'),
    limit: option('-n, --limit <number>', 'A number', integer(1)),
    mode: choice('--mode <mode>', 'A choice', ['hybrid', 'vector']),
    tags: repeatable(text('--tag <tag>', 'Several texts')),
    scopes: repeatable(choice('--scope <scope>', 'Several choices', ['read', 'write'])),
  },
  async run(_context, args, options) {
    sameType<string>()(args.project)
    sameType<string | undefined>()(args.url)
    sameType<readonly string[]>()(args.paths)
    sameType<'bash' | 'zsh'>()(args.shell)
    sameType<boolean>()(options.yes)
    sameType<string | undefined>()(options.name)
    sameType<number | undefined>()(options.limit)
    sameType<'hybrid' | 'vector' | undefined>()(options.mode)
    sameType<string[]>()(options.tags)
    sameType<('read' | 'write')[]>()(options.scopes)

    // @ts-expect-error -- an option that is not declared
    void options.limt
    // @ts-expect-error -- an argument that is not declared
    void args.projects
    // @ts-expect-error -- an option that may be missing
    sameType<number>()(options.limit)
    // @ts-expect-error -- a choice that is not offered
    void (options.mode === 'keyword')
    // @ts-expect-error -- a switch is not text
    options.yes.trim()
  },
})

defineCommand({
  name: 'wrong',
  summary: 'Declarations that do not compile',
  arguments: {
    // @ts-expect-error -- an optional argument in the notation of a required one
    url: optionalArgument('<url>'),
    // @ts-expect-error -- a single argument in the notation of a list
    paths: argumentList('<path>'),
  },
  // @ts-expect-error -- `run` asks for an option that is not declared
  async run(_context, _args, options: { force: boolean }) {
    void options.force
  },
})

// @ts-expect-error -- a command without a summary
defineCommand({ name: 'silent', async run() {} })
