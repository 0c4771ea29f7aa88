import type { Command, Option } from 'commander'
import { loadCommands } from '../../src/cli/commands/index.ts'
import { FORMAT_IDS } from '../../src/core/formats.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { TOPICS } from '../../src/cli/topics.ts'

/** How the shell completes a value. */
export type Values = { kind: 'choices'; choices: readonly string[] } | { kind: 'projects' | 'files' | 'folders' | 'none' }

export interface Flag {
  /** The long form and, if there is one, the short form: `--project`, `-p`. */
  names: string[]
  description: string
  /** Null for a switch. */
  values: Values | null
}

export interface Node {
  /** The words after `docsearch`, such as `projects list`; empty for the program. */
  path: string
  /** Other names for the last word. */
  aliases: string[]
  description: string
  children: Node[]
  flags: Flag[]
  /** How each argument is completed. The last one may repeat. */
  args: Values[]
}

/** Reads the command tree into the form that the three shells need. Leaves out hidden commands. */
export async function readTree(): Promise<Node> {
  const program = buildProgram('0', await loadCommands(), async () => {})
  const root = nodeOf(program, '', [])
  const shared = root.flags.filter((flag) => !flag.names.includes('--version'))
  // A command accepts the options of its noun and of the program too.
  const spread = (node: Node, inherited: readonly Flag[]): void => {
    for (const child of node.children) {
      child.flags.push(...inherited.filter((flag) => !child.flags.includes(flag) && !flag.names.includes('--help')))
      spread(child, child.flags)
    }
  }
  spread(root, shared)
  const help = root.children.find((child) => child.path === 'help')
  if (help !== undefined)
    help.args = [{ kind: 'choices', choices: [...root.children.map((child) => child.path), ...Object.keys(TOPICS)] }]
  return root
}

/** Returns a node and every node below it, parents first. */
export function allNodes(node: Node): Node[] {
  return [node, ...node.children.flatMap(allNodes)]
}

function nodeOf(command: Command, path: string, aliases: string[]): Node {
  const children = command.createHelp().visibleCommands(command)
  const node: Node = {
    path,
    aliases,
    description: command.summary() || command.description(),
    children: children.map((child) =>
      nodeOf(child, `${path} ${child.name()}`.trim(), child.name() === 'help' ? [] : child.aliases()),
    ),
    flags: [
      ...command.options.filter((option) => !option.hidden).map(flagOf),
      { names: ['--help', '-h'], description: 'Show help', values: null },
    ],
    args: command.registeredArguments.map((argument) =>
      argument.argChoices ? { kind: 'choices', choices: argument.argChoices } : argumentValues(path, argument.name()),
    ),
  }
  return node
}

function flagOf(option: Option): Flag {
  const names = [option.long, option.short].filter((name): name is string => name !== undefined && name !== null)
  return { names, description: option.description, values: option.required || option.optional ? optionValues(option) : null }
}

function optionValues(option: Option): Values {
  if (option.argChoices !== undefined) return { kind: 'choices', choices: option.argChoices }
  if (option.long === '--type') return { kind: 'choices', choices: FORMAT_IDS }
  if (option.long === '--project') return { kind: 'projects' }
  if (option.long === '--data') return { kind: 'folders' }
  return { kind: option.long === '--config' || option.long === '--output' ? 'files' : 'none' }
}

function argumentValues(path: string, name: string): Values {
  if (name === 'project') return { kind: 'projects' }
  if (path === 'sync') return { kind: 'folders' }
  return { kind: path === 'upload' ? 'files' : 'none' }
}
