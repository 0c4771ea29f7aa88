import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { loadConfig } from '../../../src/config/load.ts'
import { root } from '../../support/sources.ts'
import { tempFolder } from '../../support/temp-folder.ts'

// docsearch refuses to start with an unknown or invalid setting, so an example with one never starts.

type Environment = Record<string, string>

interface Manifest {
  kind: string
  metadata: { name: string }
  data?: Environment
  stringData?: Environment
  spec?: { template?: { spec: PodSpec } }
}
interface PodSpec {
  enableServiceLinks?: boolean
  containers: { args: string[] }[]
}
interface Compose {
  services: Record<string, { environment: Environment }>
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The variables of the image, see `ENV` in deploy/Dockerfile. */
const IMAGE = Object.fromEntries(
  /^ENV (.+)$/m
    .exec(read('deploy/Dockerfile'))![1]!
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
)

/** Kubernetes sets these in every pod of the namespace, unless `enableServiceLinks` is false. */
function serviceLinks(service: string): Environment {
  const name = service.toUpperCase().replaceAll('-', '_')
  const address = 'tcp://10.96.0.10:80'
  return { [`${name}_SERVICE_HOST`]: '10.96.0.10', [`${name}_SERVICE_PORT`]: '80', [`${name}_PORT`]: address }
}

const manifests = parseAllDocuments(read('deploy/kubernetes.yaml')).map((document) => document.toJS() as Manifest)
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind)

test.each(ofKind('Deployment').map(({ metadata, spec }) => [metadata.name, spec!.template!.spec] as const))(
  'the pods of %s get settings that docsearch accepts',
  async (name, { containers, enableServiceLinks = true }) => {
    const links = enableServiceLinks ? ofKind('Service').map(({ metadata }) => serviceLinks(metadata.name)) : []
    const settings = manifests.map(({ data, stringData }) => ({ ...data, ...stringData }))
    const env = Object.assign({}, IMAGE, ...links, ...settings, { HOME: await tempFolder() }) as Environment
    const role = name.replace('docsearch-', '')
    expect(containers[0]!.args).toEqual(['serve', '--role', role])
    const { config } = await loadConfig({ role }, env)
    expect(config).toMatchObject({ host: '0.0.0.0', port: 4747, shared: { role }, trustProxy: true })
  },
)

test.each(['api', 'worker'])('the service %s of deploy/compose.scale.yaml gets settings that docsearch accepts', async (role) => {
  const { services } = parse(
    read('deploy/compose.scale.yaml')
      .replaceAll(/\$\{\w+:\?\}/g, 'given')
      .replaceAll(/\$\{\w+:-(\w+)\}/g, '$1'),
    {
      merge: true,
    },
  ) as Compose
  const { config } = await loadConfig({}, { ...IMAGE, ...services[role]!.environment, HOME: await tempFolder() })
  expect(config).toMatchObject({ port: 4747, publicUrl: 'https://localhost', shared: { role, store: 's3://docsearch/instance' } })
})
