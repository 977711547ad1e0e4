/** Saved views: filters of the inbox with a name. */
import type { Feature } from '../turn/feature.ts'
import { createView } from './create_view.ts'
import { deleteView } from './delete_view.ts'
import { updateView } from './update_view.ts'

export const savedViews = {
  commands: { create_view: createView, update_view: updateView, delete_view: deleteView },
} satisfies Feature
