import { defineNoun } from '../../define.ts'
import create from './create.ts'
import remove from './delete.ts'
import list from './list.ts'

export default defineNoun({
  name: 'keys',
  summary: 'List, create and delete API keys',
  commands: [list, create, remove],
  standalone: list,
})
