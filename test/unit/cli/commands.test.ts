import { expect, test } from 'vitest'
import { loadCommands } from '../../../src/cli/commands/index.ts'

const commands = await loadCommands()

test.each(commands.flatMap((command) => [command.name, ...command.aliases].map((word) => [word, command.name])))(
  'the word %s loads the command %s alone',
  async (word, name) => {
    expect((await loadCommands(word)).map((command) => command.name)).toEqual([name])
  },
)

test.each(['serach', 'help', '__proto__', 'constructor'])(
  'the word %s, which names no command, loads all of them',
  async (word) => {
    expect(await loadCommands(word)).toHaveLength(commands.length)
  },
)
