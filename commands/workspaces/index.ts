import { createWorkspace, deleteWorkspace, getWorkspace, getWorkspaces, updateWorkspace } from './workspaces.ts';

export const workspacePatterns = [getWorkspaces, getWorkspace, createWorkspace, updateWorkspace, deleteWorkspace];
