/** The settings of a node and of its machine. */
export { ConfigError, readConfig, settingsIn as givenSettings } from './read_config.ts'
export { configReference } from './reference.ts'
export { type Config, limitsOf } from './settings.ts'
