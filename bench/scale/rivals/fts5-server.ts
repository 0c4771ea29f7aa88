// SQLite FTS5 behind Koa: the least that a search over HTTP takes with docsearch's HTTP server. Sends its port to its parent.
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import { openFts5 } from './fts5.ts'

const search = openFts5(process.argv[2]!)
const app = new Koa()
app.use(koaBody())
app.use((context) => {
  const { query } = context.request.body as { query: string }
  context.body = { results: search(query) }
})
const server = app.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit())
