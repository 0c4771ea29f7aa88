import { defineCommand } from '../../define.ts'
import { argument } from '../../options.ts'
import { administer, DATA_OPTIONS, publicUrl } from '../administer.ts'
import { printUser } from './show.ts'

export default defineCommand({
  name: 'reset',
  summary: 'Print a link that lets a user set a new password',
  arguments: { user: argument('<user>', 'Email address or ID') },
  options: { ...DATA_OPTIONS, publicUrl },
  examples: ['docsearch users reset ada@example.org'],
  async run(context, { user }, options) {
    printUser(context, await administer(context, options, ({ users }) => users.reset(user)))
  },
})
