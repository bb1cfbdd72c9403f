#!/usr/bin/env node
// Starts the program of this platform, which npm has installed beside this package as one
// of its optionalDependencies.
"use strict";

const { name } = require("./package.json");

const windows = process.platform === "win32";

function findProgram() {
  const holder = `${name}-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${holder}/bin/hence${windows ? ".exe" : ""}`);
  } catch {
    console.error(
      `hence: the package ${holder} is not installed. If npm was told to leave out optional packages ` +
        `(--omit=optional), install ${name} without that; else there is no program for this platform, and ` +
        `hence can be built from source.`,
    );
    process.exit(1);
  }
}

// What npx has started lies in a cache: for the server, settings of clients that hence init
// writes name npx instead of a path there. Without --prefer-offline npx asks the registry at each
// call, and tries for a minute where there is no network.
// Where npm has installed this package for good, the program is told which file the shell
// finds by the name hence.
function environment() {
  if (process.env.npm_command !== "exec") {
    return { ...process.env, HENCE_LAUNCHER: __filename };
  }
  const npx = ["npx", "-y", "--prefer-offline", ...(name === "hence" ? [name] : [`--package=${name}`, "hence"])];
  return { ...process.env, HENCE_LAUNCHED_BY: JSON.stringify(windows ? ["cmd", "/c", ...npx] : npx) };
}

// The program takes the place of this process, which costs less than a second one, where
// Node.js can do that: from 22.15 on, and not on Windows. A call that fails ends some versions
// at once, so it is only made for a file that may be run.
function become(file, args, env) {
  try {
    require("node:fs").accessSync(file, 1); // X_OK
    process.execve?.(file, [file, ...args], env);
  } catch {
    // then starting it beside this process says what is wrong
  }
}

function start(file, args, env) {
  const { spawn } = require("node:child_process"); // a few milliseconds
  const program = spawn(file, args, { stdio: "inherit", env, windowsHide: true });

  // A terminal sends Ctrl-C to the program too.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (signal !== "SIGINT" || !process.stdin.isTTY) {
        program.kill(signal);
      }
    });
  }
  program.on("error", (error) => {
    console.error(`hence: ${error.message}`);
    process.exit(1);
  });
  program.on("exit", (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else {
      process.exitCode = code;
    }
  });
}

const call = [findProgram(), process.argv.slice(2), environment()];
become(...call);
start(...call);
