import type { Command } from 'commander'
import type { Context } from './context.ts'
import { usage } from './exit.ts'

/** What each file under commands/ exports. Undefined is exit code 0. */
export interface CommandModule {
  run(context: Context, args: string[], options: never): Promise<number | void>
}

export type Load = () => Promise<CommandModule>
/** Gives a command its help and what it runs. */
export type On = (command: Command, load: Load, ...examples: string[]) => Command

/** A noun alone lists. What follows it and is none of its commands is named, with those there are. */
export function addNoun(noun: Command, list: Load, on: On): Command {
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
