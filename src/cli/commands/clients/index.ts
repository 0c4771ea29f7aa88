import { defineNoun } from '../../define.ts'
import { DATA_OPTIONS } from '../administer.ts'
import create from './create.ts'
import remove from './delete.ts'
import list from './list.ts'
import rotate from './rotate.ts'
import show from './show.ts'

export default defineNoun({
  name: 'clients',
  summary: 'Register, list, show, rotate and delete applications',
  description: 'Register, list, show, rotate and delete applications (OAuth clients), which may ask users for access.',
  options: DATA_OPTIONS,
  commands: [create, list, show, rotate, remove],
  standalone: list,
})
