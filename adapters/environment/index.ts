export { DotenvInvalid, parseDotenv } from './dotenv.ts';
export { type Environment, readEnvironment, readSwitches, type Switches } from './environment.ts';
