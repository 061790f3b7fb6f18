import { createGrant, deleteGrant, getGrant, getGrants, updateGrant } from './grants.ts';

export const grantPatterns = [getGrants, getGrant, createGrant, updateGrant, deleteGrant];
