{
  description = "Lifecycle hooks for AI agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forEach = function: nixpkgs.lib.genAttrs systems (system: function nixpkgs.legacyPackages.${system});
      workspace = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace;
    in
    {
      packages = forEach (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "pintle";
          inherit (workspace.package) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package" "pintle-cli" ];
          # `.ci/run` runs the tests, which need shells, pseudo-terminals and a home directory.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            for shell in bash zsh fish; do $out/bin/pintle completions $shell > pintle.$shell; done
            installShellCompletion pintle.bash pintle.fish --zsh --name _pintle pintle.zsh
            mkdir man && $out/bin/pintle man man
            installManPage man/*.1
          '';
          meta = {
            description = "Lifecycle hooks for AI agents";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "pintle";
          };
        };
      });
      devShells = forEach (pkgs: {
        default = pkgs.mkShell { packages = [ pkgs.cargo pkgs.clippy pkgs.rustc pkgs.rustfmt pkgs.jq ]; };
      });
    };
}
