export { type BlockFamily, type BlockType, blockFamilies, blockTypeNames, blockTypes } from './block_types.ts'
export { type ChannelType, channelTypes } from './channel_types.ts'
export { composed } from './composed_text.ts'
export { covers, isPattern, patternsOf } from './event_patterns.ts'
export { hideSecretsInFields, hideSecretsInText } from './hide_secrets.ts'
export {
  type IdPrefix,
  isObjectId,
  isPrefixedId,
  objectId,
  objectIdAt,
  outrunId,
  outrunOwners,
  pastId,
  prefixedId,
} from './ids.ts'
export {
  expiryOf,
  figuresAt,
  type LoyaltyProgramType,
  type LoyaltyRules,
  type LoyaltyTier,
  tierAt,
} from './loyalty_rules.ts'
export { isNotice } from './notices.ts'
export { type OfficeHours, weekdays } from './office_hours.ts'
export { hashPassword, verifyPassword } from './password.ts'
export { phoneForms } from './phone_forms.ts'
export { DATABASE_MS, DatabaseClock, learnTime, newDate, now, type TimeSample } from './time.ts'
export {
  generateOperatorKey,
  generateTokenSecret,
  hashToken,
  isWellFormedOperatorKey,
  isWellFormedToken,
  type TokenSecret,
} from './token_secret.ts'
