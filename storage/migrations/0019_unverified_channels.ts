import { inTransaction, type Migration } from './step.ts'

/** A channel whose provider has not answered yet is neither connected nor disconnected. */
export const unverifiedChannels: Migration = {
  name: '0019_unverified_channels',
  steps: [
    inTransaction(`alter table channel drop constraint channel_status_check,
      add constraint channel_status_check check (status in ('unverified', 'connected', 'disconnected')) not valid`),
    inTransaction('alter table channel validate constraint channel_status_check'),
  ],
}
