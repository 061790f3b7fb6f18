import type { ObjectText } from '../../domain/ports/index.ts';
import { unified } from './unified.ts';
import { rewriteYaml, toYaml } from './yaml.ts';

/** Objects as YAML and their differences. */
export const objectText: ObjectText = { yaml: toYaml, unified, rewrite: rewriteYaml };
