import { defineCommand } from '../../define.ts'

export default defineCommand({
  name: 'mcp',
  summary: 'Serve an agent on standard input and output',
  description:
    'Serve an agent, such as Claude or Codex, with the Model Context Protocol on standard input and output. The agent sees what your ' +
    'login or key sees. If you have never used an instance, this starts one on this machine, which keeps running.',
  details: 'Agents start this command themselves. Standard output has only messages of the protocol.',
  examples: ['claude mcp add docsearch -- docsearch mcp', 'docsearch --profile work mcp'],
  async run(context) {
    const { serveAgent } = await import('./serve-agent.ts')
    return serveAgent(context)
  },
})
