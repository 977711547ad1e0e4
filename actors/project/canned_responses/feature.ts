/** Canned responses: texts that agents insert by a shortcut. */
import type { Feature } from '../turn/feature.ts'
import { createCannedResponse } from './create_canned_response.ts'
import { deleteCannedResponse } from './delete_canned_response.ts'
import { updateCannedResponse } from './update_canned_response.ts'

export const cannedResponses = {
  commands: {
    create_canned_response: createCannedResponse,
    update_canned_response: updateCannedResponse,
    delete_canned_response: deleteCannedResponse,
  },
} satisfies Feature
