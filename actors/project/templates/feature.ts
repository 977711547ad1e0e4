/**
 * The message templates of WhatsApp accounts, kept equal to the provider's list.
 *
 * Clients submit, edit and delete them at the provider, and the rows follow with the answer.
 * Webhooks bring changes at once. The list is fetched when a webhook reports something unknown here, and every six
 * hours for changes without a webhook.
 */
import type { Feature } from '../turn/feature.ts'
import { templateChanges } from './managed_templates.ts'
import { refreshTemplates, refreshTemplatesOf } from './refresh_templates.ts'
import { syncTemplates } from './sync_templates.ts'
import { templateReported } from './template_reported.ts'
import { templatesListed } from './templates_listed.ts'
import { templatesNotListed } from './templates_not_listed.ts'

export const templates = {
  changes: templateChanges,
  inbound: { template: templateReported },
  receivers: {
    templates_listed: templatesListed,
    templates_not_listed: templatesNotListed,
    sync_templates: syncTemplates,
  },
  refreshes: { channel: refreshTemplatesOf, template: refreshTemplates },
} satisfies Feature
