import { defineNoun } from '../../define.ts'
import list from './list.ts'
import remove from './remove.ts'
import use from './use.ts'

export default defineNoun({
  name: 'profiles',
  summary: 'List, choose and remove saved instances',
  description:
    'List, choose and remove saved instances. `docsearch login` saves an instance as a profile, and `--profile NAME` uses it for one command.',
  commands: [list, use, remove],
  standalone: list,
})
