// `npm run build`: compiles src/ to dist/, bundles the command line, the script of the views, tracing and the AWS SDK, writes the types of the client
// library, and copies LanceDB's JavaScript to dist/node_modules.
// LanceDB's package is copied instead of being a dependency. Its optional dependencies (@huggingface/transformers and openai,
// for embedding functions that docsearch does not use) would add 336 MB and three install scripts to every installation.
// package.json lists what it needs: the platform packages, apache-arrow, reflect-metadata and @opentelemetry/api.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleCli } from './bundle-cli.mjs'
import { bundleModule } from './bundle-module.mjs'
import { bundleScript } from './bundle-script.mjs'
import { writeClientTypes } from './client-types.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)
const dist = join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
const built = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
if (built.status !== 0) process.exit(built.status ?? 1)
writeClientTypes(root, tsc)
await bundleCli(root)
await bundleScript(root)
await bundleModule(root, 'telemetry/otel.js')
await bundleModule(root, 'objects/s3/sdk.js')

const wrapper = dirname(dirname(require.resolve('@lancedb/lancedb')))
const target = join(dist, 'node_modules', '@lancedb', 'lancedb')
mkdirSync(target, { recursive: true })
cpSync(join(wrapper, 'dist'), join(target, 'dist'), { recursive: true, filter: (source) => !source.endsWith('.d.ts') })
cpSync(join(wrapper, 'NODEJS_THIRD_PARTY_LICENSES.md'), join(target, 'NODEJS_THIRD_PARTY_LICENSES.md'))
// LanceDB's package has no copy of its licence, Apache 2.0. This file is the unchanged text of that licence.
cpSync(join(root, 'node_modules', '@opentelemetry', 'api', 'LICENSE'), join(target, 'LICENSE'))
const { name, version, license, main, exports } = JSON.parse(readFileSync(join(wrapper, 'package.json'), 'utf8'))
writeFileSync(join(target, 'package.json'), JSON.stringify({ name, version, license, main, exports }, null, 2) + '\n')
